/** Who is told that runs changed. */
@NullMarked
package dev.roost.feed;

import org.jspecify.annotations.NullMarked;
