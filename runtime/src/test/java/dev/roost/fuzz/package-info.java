/** Bytes that nobody should write, made out of a seed: for the tests of everything that reads what somebody else wrote. */
@NullMarked
package dev.roost.fuzz;

import org.jspecify.annotations.NullMarked;
