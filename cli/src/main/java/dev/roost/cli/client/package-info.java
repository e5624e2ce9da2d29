/** Client and launcher of the daemon, identity of the caller, console primitives. */
@NullMarked
package dev.roost.cli.client;

import org.jspecify.annotations.NullMarked;
