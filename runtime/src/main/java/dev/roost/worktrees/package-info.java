/** Worktrees of live runs: when to make, checkpoint, look, clean up, upload. */
@NullMarked
package dev.roost.worktrees;

import org.jspecify.annotations.NullMarked;
