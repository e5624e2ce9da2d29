package dev.roost.model;

import java.time.Instant;

/** What can happen to a run. News, not commands: the state decides what it means. */
public sealed interface RunEvent {

    /** A slot was found; the attempt is about to be started. */
    record Claimed() implements RunEvent {}

    record StopRequested(StopReason stop) implements RunEvent {}

    /** The attempt ended and its driver judged how. */
    record Exited(Outcome outcome) implements RunEvent {}

    /** Perch and agent are gone without an exit record. */
    record Lost(Cause cause, boolean resume) implements RunEvent {}

    /** The provider takes no more before {@code until}; then it goes on by itself. */
    record Parked(Instant until) implements RunEvent {}

    /** Somebody sent an ended run a further message. */
    record Continued() implements RunEvent {}
}
