/** Writes, reads and unpacks checkpoints. */
@NullMarked
package dev.roost.git.checkpoint;

import org.jspecify.annotations.NullMarked;
