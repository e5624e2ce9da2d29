package dev.roost.git.worktree;

import java.util.Optional;

/**
 * What another machine must know of a checkpoint to make the worktree again.
 *
 * @param ref the checkpoint's name where it comes from
 * @param tip where the run's own branch was, if there was one
 */
public record CheckpointDescriptor(String ref, String commit, Optional<String> tip) {}
