/** Raw terminal: keys, painting, safe text and its width. */
@NullMarked
package dev.roost.cli.terminal;

import org.jspecify.annotations.NullMarked;
