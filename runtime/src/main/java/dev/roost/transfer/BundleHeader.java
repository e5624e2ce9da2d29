package dev.roost.transfer;

import dev.roost.model.RunId;

/**
 * The run of a transfer bundle.
 *
 * @param attempt the latest attempt when the bundle was packed
 * @param inside the run's directory inside its worktree; empty for the top, or without a worktree
 */
public record BundleHeader(RunId run, int attempt, String driver, String inside) {}
