/** {@code ps --watch}: model, views, keys and feeds. */
@NullMarked
package dev.roost.cli.watch;

import org.jspecify.annotations.NullMarked;
