/** One trace a run, told to an OpenTelemetry collector. Nothing of it is loaded unless the operator names one. */
@NullMarked
package dev.roost.daemon.traces;

import org.jspecify.annotations.NullMarked;
