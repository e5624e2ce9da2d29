package dev.roost.feed;

import dev.roost.ledger.EventStore;
import java.time.Duration;

/** Reads events page by page; no event is skipped or repeated. */
public interface EventSubscription extends AutoCloseable {

    /** The next at most {@code limit} events; waits up to {@code timeout} if there is none. The page may be empty. */
    EventStore.EventPage next(int limit, Duration timeout) throws InterruptedException;

    /** Whether the feed is closed, because the ledger is being closed. */
    boolean isOver();

    @Override
    void close();
}
