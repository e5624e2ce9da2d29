/** Reads the files of other agent tools to find lost work; writes nothing. */
@NullMarked
package dev.roost.rescue;

import org.jspecify.annotations.NullMarked;
