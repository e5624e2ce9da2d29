/** Wiring into harnesses. */
@NullMarked
package dev.roost.cli.install;

import org.jspecify.annotations.NullMarked;
