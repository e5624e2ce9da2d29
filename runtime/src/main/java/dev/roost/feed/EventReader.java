package dev.roost.feed;

import dev.roost.ledger.EventStore;
import dev.roost.model.Owner;
import java.time.Duration;
import java.util.Optional;

/** Reads events page by page at its own pace; no event is skipped or repeated. */
public final class EventReader {

    private final ChangeFeed feed;
    private final EventStore events;
    private final Optional<Owner> owner;
    private long seen;

    EventReader(ChangeFeed feed, EventStore events, long after, Optional<Owner> owner) {
        this.feed = feed;
        this.events = events;
        this.seen = after;
        this.owner = owner;
    }

    /** The next at most {@code limit} events; waits up to {@code timeout} if there is none. The page may be empty. */
    public EventStore.EventPage next(int limit, Duration timeout) throws InterruptedException {
        var page = events.after(seen, owner, limit);
        if (page.events().isEmpty() && feed.awaitEvent(page.upTo(), timeout))
            page = events.after(page.upTo(), owner, limit);
        seen = page.upTo();
        return page;
    }

    /** Whether the feed is closed, because the ledger is being closed. */
    public boolean isOver() {
        return feed.isClosed();
    }
}
