package dev.roost.feed;

import dev.roost.ledger.EventStore;
import java.time.Duration;

/** Reads what happens, one page after the other, none skipped and none twice. */
public interface EventSubscription extends AutoCloseable {

    /** What happened since the last page, at most so much; waits for something if there is nothing. It may be nothing even then. */
    EventStore.EventPage next(int most, Duration timeout) throws InterruptedException;

    /** Nothing more will come: the ledger is being closed. */
    boolean isOver();

    @Override
    void close();
}
