/** The five tools and their dialects, for any transport. */
@NullMarked
package dev.roost.daemon.mcp;

import org.jspecify.annotations.NullMarked;
