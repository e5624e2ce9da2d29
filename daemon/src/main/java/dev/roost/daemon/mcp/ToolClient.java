package dev.roost.daemon.mcp;

import dev.roost.model.Owner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who calls tools, and what they may do. */
public interface ToolClient {

    /** For whom the call is, as of now: a session may be followed by another in the same process. */
    Owner owner(Optional<String> session);

    /** The kind of harness, such as {@code claude-code}. */
    String harness();

    /** Where its project is, which its agents do not leave; as the daemon sees it. */
    Path home(Owner owner);

    /** What its agents inherit. */
    Map<String, String> environment();

    /** How long it waits for the answer to a call, if it is told meanwhile how that goes or if it is not. */
    Duration patience(boolean hearsProgress);

    /** What its runs are told apart by, if a call is made again after the connection broke. */
    Optional<String> callKey(String requestId);

    dev.roost.engine.StartRequest.Origin origin();

    ClientLimits limits();

    /**
     * What a token leaves of the world: the agents it may use, how many live runs it may have, the words before every command
     * line, and how paths are called where it lives.
     */
    record ClientLimits(
            Optional<List<String>> agents, Optional<Integer> maxLive, List<String> launcher, PathMap paths) {
        public static final ClientLimits NONE =
                new ClientLimits(Optional.empty(), Optional.empty(), List.of(), PathMap.NONE);
    }
}
