/** What programs can ask, whichever way they come: the fields of a call, and its answer. Knows Roost and the wire; no carriers. */
@NullMarked
package dev.roost.daemon.calls;

import org.jspecify.annotations.NullMarked;
