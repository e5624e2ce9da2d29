package dev.roost.git.worktree;

import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.OmittedFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A removed worktree: its checkpoint, and the files that were moved to {@code kept}. */
public record RemoveResult(Optional<Checkpoint> checkpoint, Path kept, List<OmittedFile> moved) {

    public RemoveResult {
        moved = List.copyOf(moved);
    }
}
