package dev.roost.ledger.record;

import dev.roost.model.Owner;
import java.time.Instant;
import java.util.Optional;

/** An access token of one owner. Only the hash of its secret is stored; {@code scope} is JSON of the surfaces. */
public record TokenRecord(
        String id,
        String sha256,
        Owner owner,
        String scope,
        Instant createdAt,
        Optional<Instant> expiresAt,
        Optional<Instant> usedAt) {

    public boolean expired(Instant now) {
        return expiresAt.filter(end -> !now.isBefore(end)).isPresent();
    }
}
