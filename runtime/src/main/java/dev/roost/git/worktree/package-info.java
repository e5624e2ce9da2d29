/** Makes, restores, removes, exports, imports one worktree. */
@NullMarked
package dev.roost.git.worktree;

import org.jspecify.annotations.NullMarked;
