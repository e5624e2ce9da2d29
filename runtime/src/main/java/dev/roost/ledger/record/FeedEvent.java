package dev.roost.ledger.record;

import dev.roost.model.Owner;
import dev.roost.model.RunId;

/** A line of some run's timeline, and whose run that is. */
public record FeedEvent(RunId run, Owner owner, TimelineEvent event) {

    public long seq() {
        return event.seq();
    }
}
