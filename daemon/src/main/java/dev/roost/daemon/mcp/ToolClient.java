package dev.roost.daemon.mcp;

import dev.roost.model.Owner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A client that calls tools, and its limits. */
public interface ToolClient {

    /** The owner of the call. It may change, because one process may have several sessions after each other. */
    Owner owner(Optional<String> session);

    /** The kind of harness, such as {@code claude-code}. */
    String harness();

    /** The directory of the owner's project, to which its agents are bound; as a path of the daemon's machine. */
    Path home(Owner owner);

    /** The environment of its agents. */
    Map<String, String> environment();

    /** How long the client waits for an answer, with or without progress messages. */
    Duration patience(boolean hearsProgress);

    /** The idempotency key of a call, which is the same if the call is repeated after a broken connection. */
    Optional<String> callKey(String requestId);

    dev.roost.engine.StartRequest.Origin origin();

    ClientLimits limits();

    /**
     * The limits of a token: its agents, its number of live runs, the launcher before every command line, and the map of paths
     * inside its container.
     */
    record ClientLimits(
            Optional<List<String>> agents, Optional<Integer> maxLive, List<String> launcher, PathMap paths) {
        public static final ClientLimits NONE =
                new ClientLimits(Optional.empty(), Optional.empty(), List.of(), PathMap.NONE);
    }
}
