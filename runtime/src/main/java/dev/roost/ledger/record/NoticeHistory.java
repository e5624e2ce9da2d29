package dev.roost.ledger.record;

import java.time.Instant;
import java.util.Optional;

/** What became of a notice. */
public record NoticeHistory(long id, int attempt, String kind, Instant createdAt, Optional<Instant> ackedAt) {}
