package dev.roost.git.worktree;

import java.nio.file.Path;
import java.util.Optional;

/** What {@code ensure} did; {@code displaced} is the new path of foreign files at the worktree's path. */
public record EnsureResult(EnsureAction how, Optional<String> ref, Optional<Path> displaced) {

    public enum EnsureAction {
        AS_IT_WAS,
        FRESH,
        /** From the run's branch, which has commits after the last checkpoint. */
        FROM_BRANCH,
        FROM_RESCUE
    }

    static EnsureResult of(EnsureAction how) {
        return new EnsureResult(how, Optional.empty(), Optional.empty());
    }
}
