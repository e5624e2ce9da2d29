package dev.roost.daemon.api;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Another protocol that a client of the socket may go over to with its first line. */
public interface ProtocolUpgrade {

    /** Serves the client until it goes. {@code hello} are the params with which it asked. */
    void serve(@Nullable JsonNode hello, LineConnection lines) throws IOException;
}
