package dev.roost.git.worktree;

import java.util.Optional;

/**
 * Describes a checkpoint for another machine, which creates the worktree from it.
 *
 * @param ref the checkpoint's ref on the machine that made it
 * @param tip the commit of the run's own branch, if it exists
 */
public record CheckpointDescriptor(String ref, String commit, Optional<String> tip) {}
