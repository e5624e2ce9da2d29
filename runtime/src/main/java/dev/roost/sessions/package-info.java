/** What owners are told, and how it is put. */
@NullMarked
package dev.roost.sessions;

import org.jspecify.annotations.NullMarked;
