/** The full-screen view: model, view, key bindings. */
@NullMarked
package dev.roost.cli.watch;

import org.jspecify.annotations.NullMarked;
