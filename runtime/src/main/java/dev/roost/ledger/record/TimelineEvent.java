package dev.roost.ledger.record;

import java.time.Instant;

/** One event of a run's timeline. */
public record TimelineEvent(long seq, int attempt, Instant at, String kind, String text) {}
