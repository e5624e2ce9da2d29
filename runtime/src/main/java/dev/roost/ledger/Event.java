package dev.roost.ledger;

import java.time.Instant;

/** One line of a run's timeline. */
public record Event(long seq, int attempt, Instant at, String kind, String text) {}
