package dev.roost.worktrees;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A worktree that is gone: the checkpoint that holds it, and what was moved to {@code kept}. */
public record Removed(Optional<Checkpoint> checkpoint, Path kept, List<LeftOut> moved) {

    public Removed {
        moved = List.copyOf(moved);
    }
}
