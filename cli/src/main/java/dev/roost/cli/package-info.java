/** The commands: a client of the socket, nothing else. */
@NullMarked
package dev.roost.cli;

import org.jspecify.annotations.NullMarked;
