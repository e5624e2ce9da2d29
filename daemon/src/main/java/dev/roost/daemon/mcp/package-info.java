/** The five tools and their dialects, over the socket and over HTTP. */
@NullMarked
package dev.roost.daemon.mcp;

import org.jspecify.annotations.NullMarked;
