/** Collects metrics and exports traces. */
@NullMarked
package dev.roost.daemon.telemetry;

import org.jspecify.annotations.NullMarked;
