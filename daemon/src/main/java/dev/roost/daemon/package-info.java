/** Starts the process, wires everything, stops it. */
@NullMarked
package dev.roost.daemon;

import org.jspecify.annotations.NullMarked;
