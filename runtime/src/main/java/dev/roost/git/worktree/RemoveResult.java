package dev.roost.git.worktree;

import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.OmittedFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A worktree that is gone: the checkpoint that holds it, and what was moved to {@code kept}. */
public record RemoveResult(Optional<Checkpoint> checkpoint, Path kept, List<OmittedFile> moved) {

    public RemoveResult {
        moved = List.copyOf(moved);
    }
}
