package dev.roost.base;

import java.time.Instant;

/** The only source of time. Tests replace it. */
public interface Clock {

    /** The wall clock, for people and records. It may jump. */
    Instant now();

    /**
     * The clock for durations. It does not jump, does not run while the machine sleeps, and is the same in every process of
     * one boot (CLOCK_MONOTONIC on Linux), so a restarted daemon continues the count of its predecessor.
     */
    long monotonicNanos();

    /** How long the machine has slept since it booted (BOOTTIME less MONOTONIC on Linux). */
    long sleptNanos();
}
