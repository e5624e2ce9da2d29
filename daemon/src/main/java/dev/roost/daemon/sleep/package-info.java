/** Hears from logind that the machine is about to sleep, has Roost make ready, and holds the sleep up for that long; knows no surface. */
@NullMarked
package dev.roost.daemon.sleep;

import org.jspecify.annotations.NullMarked;
