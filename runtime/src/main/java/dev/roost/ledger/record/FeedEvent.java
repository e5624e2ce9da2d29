package dev.roost.ledger.record;

import dev.roost.model.Owner;
import dev.roost.model.RunId;

/** A timeline event with its run and the run's owner. */
public record FeedEvent(RunId run, Owner owner, TimelineEvent event) {

    public long seq() {
        return event.seq();
    }
}
