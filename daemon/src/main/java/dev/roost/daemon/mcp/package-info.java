/**
 * The tools that a model calls: JSON-RPC of the Model Context Protocol over whatever carries it, and the bridge that carries it over the
 * socket. Knows nothing of HTTP.
 */
@NullMarked
package dev.roost.daemon.mcp;

import org.jspecify.annotations.NullMarked;
