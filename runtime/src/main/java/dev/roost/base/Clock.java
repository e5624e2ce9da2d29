package dev.roost.base;

import java.time.Instant;

/** The only place that asks what time it is. */
public interface Clock {

    /** For people and records. May jump. */
    Instant now();

    /**
     * For durations: does not jump, does not run while the machine sleeps, and is the same clock in every process of one
     * boot (CLOCK_MONOTONIC on Linux), so that a restarted daemon goes on counting where the dead one was.
     */
    long monotonicNanos();

    /** How long the machine has slept since it booted (BOOTTIME less MONOTONIC on Linux). */
    long sleptNanos();
}
