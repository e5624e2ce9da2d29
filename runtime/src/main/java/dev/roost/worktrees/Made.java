package dev.roost.worktrees;

import java.nio.file.Path;
import java.util.Optional;

/** What {@code ensure} found or did; {@code displaced}: where files went that stood in the way. */
public record Made(How how, Optional<String> ref, Optional<Path> displaced) {

    public enum How {
        AS_IT_WAS,
        FRESH,
        /** From the run's branch, which went on after its last checkpoint. */
        FROM_BRANCH,
        FROM_RESCUE
    }

    static Made of(How how) {
        return new Made(how, Optional.empty(), Optional.empty());
    }
}
