/** Git: a run's own worktree, its checkpoints, how far its work got, and bringing it back. Knows no ledger and no clock. */
@NullMarked
package dev.roost.worktrees;

import org.jspecify.annotations.NullMarked;
