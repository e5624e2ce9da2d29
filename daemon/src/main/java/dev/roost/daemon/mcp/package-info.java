/** The five tools and their dialects over any transport. */
@NullMarked
package dev.roost.daemon.mcp;

import org.jspecify.annotations.NullMarked;
