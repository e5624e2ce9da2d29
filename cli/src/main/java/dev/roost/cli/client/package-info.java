/** Talks to the daemon, starts it, knows who calls; console primitives. */
@NullMarked
package dev.roost.cli.client;

import org.jspecify.annotations.NullMarked;
