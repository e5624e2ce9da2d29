/** Runs, notices and errors as JSON: the same words on every surface. */
@NullMarked
package dev.roost.daemon.wire;

import org.jspecify.annotations.NullMarked;
