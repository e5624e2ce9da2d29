/** Roost in a plain main. */
@NullMarked
package dev.roost.examples.embed;

import org.jspecify.annotations.NullMarked;
