/** Roost itself: the facade that surfaces call, and the loop that leads one attempt from its perch to its end. */
@NullMarked
package dev.roost.house;

import org.jspecify.annotations.NullMarked;
