package dev.roost.daemon.mcp;

import dev.roost.daemon.api.CallerLimits;
import java.time.Duration;
import java.util.Optional;

/** A client that calls tools. */
interface ToolClient {

    /** The kind of harness, such as {@code claude-code}. */
    String harness();

    /** The owner and the limits of one call. One process may have several sessions after each other. */
    CallerLimits limits(Optional<String> session, String requestId);

    /** How long the client waits for an answer, with or without progress messages. */
    Duration patience(boolean hearsProgress);
}
