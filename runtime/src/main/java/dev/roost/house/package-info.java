/** Roost itself: the facade that surfaces call, and the loop that leads one attempt from its perch to its end. No SQL, no git,
 * no driver's words and nothing of HTTP, MCP or terminals: it composes the rooms that know those. */
@NullMarked
package dev.roost.house;

import org.jspecify.annotations.NullMarked;
