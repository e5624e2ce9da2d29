package dev.roost.daemon.wire;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Another protocol that a client of the socket may go over to with its first line. */
public interface Upgrade {

    /** Serves the client until it goes. {@code hello} are the params with which it asked. */
    void hold(@Nullable JsonNode hello, Lines lines) throws IOException;
}
