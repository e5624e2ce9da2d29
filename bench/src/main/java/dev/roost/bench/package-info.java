/** Measurements, never tests: a figure here is a figure, not a verdict. */
@NullMarked
package dev.roost.bench;

import org.jspecify.annotations.NullMarked;
