/** {@code roost demo}, and the command line of chaos. */
@NullMarked
package dev.roost.cli.demo;

import org.jspecify.annotations.NullMarked;
