/** Starts the daemon's process, wires its parts, and stops it. */
@NullMarked
package dev.roost.daemon;

import org.jspecify.annotations.NullMarked;
