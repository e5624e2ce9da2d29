package dev.roost.model;

import java.time.Instant;

/** An event in the life of a run. The state decides what an event changes. */
public sealed interface RunEvent {

    /** Whether another attempt follows by itself. */
    default boolean continues() {
        return this instanceof Parked || (this instanceof Lost(var _, var resume) && resume);
    }

    /** The run got a slot; the attempt is about to start. */
    record Claimed() implements RunEvent {}

    record StopRequested(StopReason stop) implements RunEvent {}

    /** The attempt ended, with the outcome that its driver judged. */
    record Exited(Outcome outcome) implements RunEvent {}

    /** Perch and agent are gone without an exit record. */
    record Lost(Cause cause, boolean resume) implements RunEvent {}

    /** The provider limits the rate until {@code until}; then the run continues by itself. */
    record Parked(Instant until) implements RunEvent {}

    /** A message to an ended run. */
    record Continued() implements RunEvent {}
}
