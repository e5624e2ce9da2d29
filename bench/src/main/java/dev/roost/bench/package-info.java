/** Measurements, never tests: they report figures and do not fail. */
@NullMarked
package dev.roost.bench;

import org.jspecify.annotations.NullMarked;
