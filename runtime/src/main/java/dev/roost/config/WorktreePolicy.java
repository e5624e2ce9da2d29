package dev.roost.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How worktrees are made and kept. {@code checkpointRemote} gets each checkpoint; a file over {@code largestFile} bytes is in
 * none, and an ignored one only if {@code ignoredToo}.
 */
public record WorktreePolicy(
        SetupPolicy setupPolicy,
        Duration checkpointEvery,
        Optional<String> checkpointRemote,
        long largestFile,
        boolean ignoredToo) {

    /** What a fresh worktree is given: files of the checkout it came from, and a command that is run in it. */
    public record SetupPolicy(Optional<String> setup, List<String> copy, List<String> link) {
        public static final SetupPolicy NOTHING = new SetupPolicy(Optional.empty(), List.of(), List.of());
    }

    public static final WorktreePolicy DEFAULT =
            new WorktreePolicy(SetupPolicy.NOTHING, Duration.ofMinutes(5), Optional.empty(), 50L << 20, false);
}
