package dev.roost.git.checkpoint;

import java.time.Instant;
import java.util.List;

/** The content of a worktree at one moment, as a commit to which only its own ref points. */
public record Checkpoint(
        int n,
        String ref,
        String commit,
        Instant at,
        String why,
        boolean isNew,
        List<OmittedFile> omitted,
        List<SpecialFile> special) {

    public Checkpoint {
        omitted = List.copyOf(omitted);
        special = List.copyOf(special);
    }
}
