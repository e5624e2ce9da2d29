/** Reads what other tools left; writes nothing. */
@NullMarked
package dev.roost.rescue;

import org.jspecify.annotations.NullMarked;
