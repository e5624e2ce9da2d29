package dev.roost.git.checkpoint;

import java.time.Instant;
import java.util.List;

/** What a worktree held at one moment, as a commit that nothing but its ref points to. */
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
