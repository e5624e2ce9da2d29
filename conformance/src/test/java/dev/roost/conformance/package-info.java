/** The real agent CLIs, at pinned versions, talking to a scripted model on loopback and to nothing else. */
@NullMarked
package dev.roost.conformance;

import org.jspecify.annotations.NullMarked;
