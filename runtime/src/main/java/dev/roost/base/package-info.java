/** Errors, clock, fault points, text formatting; imports nothing of ours. */
@NullMarked
package dev.roost.base;

import org.jspecify.annotations.NullMarked;
