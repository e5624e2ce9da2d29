/** Routes: REST API, MCP, hooks, metrics over HTTP; the listener. */
@NullMarked
package dev.roost.daemon.rest;

import org.jspecify.annotations.NullMarked;
