/** The tools that a model calls: JSON-RPC of the Model Context Protocol over whatever carries it. Knows Roost, not the carriers. */
@NullMarked
package dev.roost.daemon.mcp;

import org.jspecify.annotations.NullMarked;
