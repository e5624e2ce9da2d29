/** The one process that holds a home: it takes the lock, opens Roost, and serves its surfaces. */
@NullMarked
package dev.roost.daemon;

import org.jspecify.annotations.NullMarked;
