package dev.roost.git.checkpoint;

import dev.roost.git.checkpoint.CheckpointRefs.CheckpointRef;
import java.time.Instant;
import java.util.List;

/**
 * The content of a worktree at one moment, as a commit to which only its own ref points.
 *
 * @param isNew whether the call that returned it wrote it
 */
public record Checkpoint(
        int n, String ref, String commit, String tree, Instant at, CheckpointMessage message, boolean isNew) {

    Checkpoint(CheckpointRef ref, String tree, Instant at, CheckpointMessage message) {
        this(ref.n(), ref.name(), ref.commit(), tree, at, message, false);
    }

    public Checkpoint at(CheckpointRef ref) {
        return new Checkpoint(ref, tree, at, message);
    }

    Checkpoint with(List<OmittedFile> omitted) {
        return new Checkpoint(n, ref, commit, tree, at, message.with(message.n(), omitted), false);
    }

    public String why() {
        return message.why();
    }

    public List<OmittedFile> omitted() {
        return message.omitted();
    }

    public List<SpecialFile> special() {
        return message.special();
    }
}
