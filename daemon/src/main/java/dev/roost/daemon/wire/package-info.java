/** What every surface shares: runs, notices and errors as JSON in the same words, how parameters are read, and lines over a connection. */
@NullMarked
package dev.roost.daemon.wire;

import org.jspecify.annotations.NullMarked;
