/** A terminal and what goes over it: keys, widths, colours. Knows nothing of runs. */
@NullMarked
package dev.roost.cli.terminal;

import org.jspecify.annotations.NullMarked;
