package dev.roost.model;

/** A process for certain: pids are used again, but not with the same start time in the same boot. */
public record ProcessId(long pid, long startTicks) {}
