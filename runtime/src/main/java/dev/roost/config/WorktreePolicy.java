package dev.roost.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How worktrees are made and checkpointed. {@code checkpointRemote} gets each checkpoint. A checkpoint omits files over
 * {@code largestFile} bytes, and ignored files unless {@code ignoredToo}.
 */
public record WorktreePolicy(
        SetupPolicy setupPolicy,
        Duration checkpointEvery,
        Optional<String> checkpointRemote,
        long largestFile,
        boolean ignoredToo) {

    /** The setup of a new worktree: a command to run in it, and files of its checkout to copy or link. */
    public record SetupPolicy(Optional<String> setup, List<String> copy, List<String> link) {
        public static final SetupPolicy NOTHING = new SetupPolicy(Optional.empty(), List.of(), List.of());
    }

    public static final WorktreePolicy DEFAULT =
            new WorktreePolicy(SetupPolicy.NOTHING, Duration.ofMinutes(5), Optional.empty(), 50L << 20, false);
}
