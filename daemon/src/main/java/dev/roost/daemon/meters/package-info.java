/** What the daemon shows of itself: meters for Prometheus, and whether it is ready. Knows Roost; no carriers. */
@NullMarked
package dev.roost.daemon.meters;

import org.jspecify.annotations.NullMarked;
