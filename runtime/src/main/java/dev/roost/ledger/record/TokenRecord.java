package dev.roost.ledger.record;

import dev.roost.model.Owner;
import java.time.Instant;
import java.util.Optional;

/** What lets a program in for one owner. Its secret is known by its hash only; {@code scope} is the surfaces' own JSON. */
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
