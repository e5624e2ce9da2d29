package dev.roost.ledger;

import dev.roost.run.Parent;
import java.util.Optional;

/** Where a parent session is after a report, and what is to be put before it. */
public record Heard(Parent parent, Optional<Offer> offer) {}
