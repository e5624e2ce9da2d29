/**
 * What harnesses report of their sessions, and what is put before those in return, over the socket or whatever else carries it. Knows
 * nothing of HTTP.
 */
@NullMarked
package dev.roost.daemon.hooks;

import org.jspecify.annotations.NullMarked;
