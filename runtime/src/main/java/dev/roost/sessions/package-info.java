/** Offers of notices to owner sessions, their text, and when a session is woken. */
@NullMarked
package dev.roost.sessions;

import org.jspecify.annotations.NullMarked;
