/** Malformed inputs generated from a seed, for tests of every parser of external input. */
@NullMarked
package dev.roost.fuzz;

import org.jspecify.annotations.NullMarked;
