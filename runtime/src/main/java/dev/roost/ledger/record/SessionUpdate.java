package dev.roost.ledger.record;

import dev.roost.model.OwnerSession;
import java.util.Optional;

/** Where a parent session is after a report, and what is to be put before it. */
public record SessionUpdate(OwnerSession session, Optional<NoticeOffer> offer) {}
