/** Raw terminal. */
@NullMarked
package dev.roost.cli.terminal;

import org.jspecify.annotations.NullMarked;
