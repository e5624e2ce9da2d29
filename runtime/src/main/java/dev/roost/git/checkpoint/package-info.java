/** What a checkpoint is: written, read, unpacked. */
@NullMarked
package dev.roost.git.checkpoint;

import org.jspecify.annotations.NullMarked;
