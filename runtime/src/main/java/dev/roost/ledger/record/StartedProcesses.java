package dev.roost.ledger.record;

import dev.roost.model.ProcessId;

/** The processes of an attempt, the boot id, and their start by that boot's clocks. */
public record StartedProcesses(ProcessId perch, ProcessId agent, String bootId, long monotonicNanos, long sleptNanos) {}
