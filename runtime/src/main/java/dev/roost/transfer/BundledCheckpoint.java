package dev.roost.transfer;

import dev.roost.git.worktree.CheckpointDescriptor;
import java.util.Optional;

/**
 * The latest checkpoint of a worktree.
 *
 * @param base the commit from which the run started
 * @param target the branch into which the work is to go
 * @param remote the remote to which the checkpoint was pushed; then the bundle does not contain it
 */
public record BundledCheckpoint(
        CheckpointDescriptor descriptor,
        String base,
        Optional<String> target,
        Optional<String> remote,
        Optional<BundleEntry> bundle) {}
