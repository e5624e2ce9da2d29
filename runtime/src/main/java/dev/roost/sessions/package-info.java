/** What owners are told and when one is woken. */
@NullMarked
package dev.roost.sessions;

import org.jspecify.annotations.NullMarked;
