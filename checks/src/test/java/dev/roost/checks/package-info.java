/** Runs the test classes of all modules for {@code ./check}; knows nothing of Roost. Never shipped. */
@NullMarked
package dev.roost.checks;

import org.jspecify.annotations.NullMarked;
