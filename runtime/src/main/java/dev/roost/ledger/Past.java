package dev.roost.ledger;

import dev.roost.run.Evidence;
import dev.roost.run.Outcome;
import java.time.Instant;
import java.util.Optional;

/**
 * An attempt that was made elsewhere: when, what became of it, how we know, how much of what it said is in output.md, and the
 * conversation by which it can go on.
 */
public record Past(
        Instant began,
        Instant ended,
        Outcome outcome,
        Evidence evidence,
        Result result,
        long outputBytes,
        Optional<String> sessionId) {}
