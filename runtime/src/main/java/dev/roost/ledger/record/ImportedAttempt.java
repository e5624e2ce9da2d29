package dev.roost.ledger.record;

import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import java.time.Instant;
import java.util.Optional;

/**
 * An attempt that was made elsewhere: when, what became of it, how we know, how much of what it said is in output.md, and the
 * conversation by which it can go on.
 */
public record ImportedAttempt(
        Instant began,
        Instant ended,
        Outcome outcome,
        Evidence evidence,
        AttemptResult result,
        long outputBytes,
        Optional<String> sessionId) {}
