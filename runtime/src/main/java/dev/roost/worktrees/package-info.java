/** Worktrees of live runs: when to make, checkpoint, inspect, clean up and upload them. */
@NullMarked
package dev.roost.worktrees;

import org.jspecify.annotations.NullMarked;
