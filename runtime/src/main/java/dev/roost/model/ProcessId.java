package dev.roost.model;

/** Identifies a process. The system reuses pids, but not with the same start time in the same boot. */
public record ProcessId(long pid, long startTicks) {}
