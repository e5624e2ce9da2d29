/** {@code ps --watch}: model, views, key bindings and feeds. */
@NullMarked
package dev.roost.cli.watch;

import org.jspecify.annotations.NullMarked;
