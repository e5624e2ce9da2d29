package dev.roost.transfer;

import dev.roost.model.RunId;

/**
 * Whose luggage it is.
 *
 * @param attempt the one that was the latest when it was packed
 * @param inside where in its worktree the run works; empty at its top, or without a worktree
 */
public record BundleHeader(RunId run, int attempt, String driver, String inside) {}
