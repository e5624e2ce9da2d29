/** What owners are told, and how it is put. Nothing here speaks to a harness: how it is carried there is the surfaces' matter. */
@NullMarked
package dev.roost.sessions;

import org.jspecify.annotations.NullMarked;
