package dev.roost.daemon.api;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Another protocol, to which a client of the socket can switch with its first line. */
public interface ProtocolUpgrade {

    /** Serves the client until it disconnects. {@code hello} are the params of its first line. */
    void serve(@Nullable JsonNode hello, LineConnection lines) throws IOException;
}
