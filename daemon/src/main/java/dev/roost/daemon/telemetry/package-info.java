/** Metrics and traces. */
@NullMarked
package dev.roost.daemon.telemetry;

import org.jspecify.annotations.NullMarked;
