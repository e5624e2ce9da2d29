/** Runs git and reads its files; knows no run but the {@code Worktree} record. */
@NullMarked
package dev.roost.git;

import org.jspecify.annotations.NullMarked;
