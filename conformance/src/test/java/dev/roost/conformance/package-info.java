/** Tests with real agent CLIs at pinned versions, connected only to a scripted model on loopback. */
@NullMarked
package dev.roost.conformance;

import org.jspecify.annotations.NullMarked;
