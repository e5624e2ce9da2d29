package dev.roost.git.worktree;

import java.nio.file.Path;
import java.util.Optional;

/** What {@code ensure} found or did; {@code displaced}: where files went that stood in the way. */
public record EnsureResult(EnsureAction how, Optional<String> ref, Optional<Path> displaced) {

    public enum EnsureAction {
        AS_IT_WAS,
        FRESH,
        /** From the run's branch, which went on after its last checkpoint. */
        FROM_BRANCH,
        FROM_RESCUE
    }

    static EnsureResult of(EnsureAction how) {
        return new EnsureResult(how, Optional.empty(), Optional.empty());
    }
}
