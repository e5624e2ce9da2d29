package dev.roost.ledger.record;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A run's worktree: its place, its base, its latest checkpoint, and how far its code got. */
public record WorktreeRecord(
        WorktreePlace place,
        Optional<Instant> madeAt,
        Optional<Instant> removedAt,
        Optional<CheckpointState> rescue,
        Optional<LandingState> landing,
        int inspectedAttempt,
        Optional<String> trouble) {

    /** The prefix of a {@code trouble} that prevents checkpoints of the worktree's current content. */
    public static final String NO_CHECKPOINT = "no checkpoint";

    static WorktreeRecord planned(WorktreePlace place) {
        return new WorktreeRecord(
                place, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), 0, Optional.empty());
    }

    /** Whether the worktree exists: it was created and not removed. */
    public boolean isThere() {
        return madeAt.isPresent() && removedAt.isEmpty();
    }

    /** {@code common}: the repository's common git directory; {@code origin}: the working directory of the caller. */
    public record WorktreePlace(Path path, Path common, String base, Optional<String> target, Path origin) {}

    /** The latest checkpoint; {@code leftOut} is the number of files that it does not contain. */
    public record CheckpointState(int n, String ref, Instant at, int leftOut) {}

    /** How far the code got: one word, a phrase, and all details as JSON. */
    public record LandingState(String stage, String words, String json, Instant at) {}
}
