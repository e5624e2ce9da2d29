package dev.roost.ledger.record;

import java.time.Instant;
import java.util.Optional;

/** A notice with the times of its creation and acknowledgement. */
public record NoticeHistory(long id, int attempt, String kind, Instant createdAt, Optional<Instant> ackedAt) {}
