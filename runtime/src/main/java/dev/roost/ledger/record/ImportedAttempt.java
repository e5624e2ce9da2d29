package dev.roost.ledger.record;

import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import java.time.Instant;
import java.util.Optional;

/**
 * An attempt that another tool made: its times, outcome, evidence and result, the length of its output.md, and the session
 * id by which it can be continued.
 */
public record ImportedAttempt(
        Instant began,
        Instant ended,
        Outcome outcome,
        Evidence evidence,
        AttemptResult result,
        long outputBytes,
        Optional<String> sessionId) {}
