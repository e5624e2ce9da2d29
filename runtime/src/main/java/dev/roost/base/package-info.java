/** Errors, clock, fault points, text formatting; imports no other package of Roost. */
@NullMarked
package dev.roost.base;

import org.jspecify.annotations.NullMarked;
