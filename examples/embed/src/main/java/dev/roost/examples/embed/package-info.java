/** A plain main that embeds Roost. */
@NullMarked
package dev.roost.examples.embed;

import org.jspecify.annotations.NullMarked;
