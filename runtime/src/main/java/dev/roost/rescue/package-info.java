/** Finds what other tools lost: reads their transcripts, databases and worktrees, and writes to none of them. */
@NullMarked
package dev.roost.rescue;

import org.jspecify.annotations.NullMarked;
