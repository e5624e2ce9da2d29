package dev.roost.ledger;

import java.time.Instant;
import java.util.Optional;

/** What became of a notice. */
public record NoticeTrace(long id, int attempt, String kind, Instant createdAt, Optional<Instant> ackedAt) {}
