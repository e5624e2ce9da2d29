/** The HTTP listener and its routes: REST API, MCP, hooks, metrics. */
@NullMarked
package dev.roost.daemon.rest;

import org.jspecify.annotations.NullMarked;
