package dev.roost.ledger.record;

import dev.roost.model.OwnerSession;
import java.util.Optional;

/** An owner session after a report, and the offer for it. */
public record SessionUpdate(OwnerSession session, Optional<NoticeOffer> offer) {}
