/** Runs git and reads its files; of a run it uses only the {@code Worktree} record. */
@NullMarked
package dev.roost.git;

import org.jspecify.annotations.NullMarked;
