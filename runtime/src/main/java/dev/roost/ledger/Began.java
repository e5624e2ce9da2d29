package dev.roost.ledger;

import dev.roost.run.ProcessId;

/** The processes of an attempt, the boot they belong to, and when they began by that boot's clocks. */
public record Began(ProcessId perch, ProcessId agent, String bootId, long monotonicNanos, long sleptNanos) {}
