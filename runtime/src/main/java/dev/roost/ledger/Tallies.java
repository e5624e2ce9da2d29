package dev.roost.ledger;

import dev.roost.run.Owner;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;

/** How much of what there is. */
public interface Tallies {

    /** How many runs of an owner are live, and how many ended ones are not yet read. */
    record OfOwner(Owner owner, int live, int unread) {}

    /** What an owner's runs used on a day in UTC; the cost in millionths of a dollar. */
    record Spent(LocalDate day, Owner owner, long tokens, long costMicros) {}

    /** Every owner that has a run, by name. */
    List<OfOwner> owners(Optional<Owner> owner);

    /** Newest day first, then by owner. */
    List<Spent> spent(LocalDate since, Optional<Owner> owner);
}
