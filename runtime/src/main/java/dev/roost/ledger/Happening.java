package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.RunId;

/** A line of some run's timeline, and whose run that is. */
public record Happening(RunId run, Owner owner, Event event) {

    public long seq() {
        return event.seq();
    }
}
