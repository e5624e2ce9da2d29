package dev.roost.ledger;

import dev.roost.run.ProcessId;

/** The processes of an attempt, the boot they belong to, and when on that boot's monotonic clock they began. */
public record Began(ProcessId perch, ProcessId agent, String bootId, long monotonicNanos) {}
