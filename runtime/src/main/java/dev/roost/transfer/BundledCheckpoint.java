package dev.roost.transfer;

import dev.roost.git.worktree.CheckpointDescriptor;
import java.util.Optional;

/**
 * A worktree's latest checkpoint.
 *
 * @param base the commit that the run began from
 * @param target the branch that it is meant for
 * @param remote where the checkpoint was pushed, in which case it does not travel itself
 */
public record BundledCheckpoint(
        CheckpointDescriptor descriptor,
        String base,
        Optional<String> target,
        Optional<String> remote,
        Optional<BundleEntry> bundle) {}
