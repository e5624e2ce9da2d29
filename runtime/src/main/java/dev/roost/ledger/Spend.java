package dev.roost.ledger;

import dev.roost.run.Owner;
import java.time.LocalDate;

/** What an owner's runs used on a day (UTC). */
public record Spend(Owner owner, LocalDate day, long tokens, long costMicros) {}
