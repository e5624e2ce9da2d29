/** What harnesses report of their sessions, and what is put before those in return. Knows Roost, not the carriers. */
@NullMarked
package dev.roost.daemon.hooks;

import org.jspecify.annotations.NullMarked;
