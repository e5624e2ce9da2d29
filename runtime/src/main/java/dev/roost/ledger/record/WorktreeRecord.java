package dev.roost.ledger.record;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A run's own worktree: where it is, what it came from, what was kept of it, and how far its code got. */
public record WorktreeRecord(
        WorktreePlace place,
        Optional<Instant> madeAt,
        Optional<Instant> removedAt,
        Optional<CheckpointState> rescue,
        Optional<LandingState> landing,
        int inspectedAttempt,
        Optional<String> trouble) {

    /** How a trouble begins that keeps the worktree, as it is, out of any checkpoint. */
    public static final String NO_CHECKPOINT = "no checkpoint";

    static WorktreeRecord planned(WorktreePlace place) {
        return new WorktreeRecord(
                place, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), 0, Optional.empty());
    }

    /** It was made, and not removed since. */
    public boolean isThere() {
        return madeAt.isPresent() && removedAt.isEmpty();
    }

    /** {@code common}: the repository's common git directory; {@code origin}: the directory its caller was in. */
    public record WorktreePlace(Path path, Path common, String base, Optional<String> target, Path origin) {}

    /** The latest checkpoint; {@code leftOut} is how many files are in none. */
    public record CheckpointState(int n, String ref, Instant at, int leftOut) {}

    /** How far its code got, as one word, in words, and with all that is known. */
    public record LandingState(String stage, String words, String json, Instant at) {}
}
