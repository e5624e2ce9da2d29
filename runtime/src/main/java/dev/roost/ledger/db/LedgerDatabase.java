package dev.roost.ledger.db;

import dev.roost.base.Clock;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where a ledger's rows are. What one database says otherwise than another, it says here. */
public interface LedgerDatabase {

    /** Whose ledger this is among several that share their rows; empty for one that is alone with them. */
    String node();

    /** A connection for the one thread that writes; asked for again when the last one broke. */
    SqlConnection writing();

    /** A connection that only reads. */
    SqlConnection reading();

    /**
     * Waits until nobody else writes what is about these, and until the end of the transaction keeps them to itself; to be
     * called first in a transaction. The transaction leaves {@code mark}, by which {@link #isCommitted} knows it.
     */
    void lock(SqlConnection handle, Collection<String> keys, long mark);

    /** The same for more, as far as they are to be had without waiting: those that are. */
    Set<String> lockAtOnce(SqlConnection handle, Collection<String> keys);

    /** Adds events, with numbers greater than all that are committed; to be called last in a transaction. */
    void numberEvents(SqlConnection handle, List<PendingEvent> events);

    /** An event that waits for its number. */
    record PendingEvent(String run, int attempt, long at, EventKind kind, String text) {}

    /** The greatest number that an event ever had. */
    long newestEvent(SqlConnection handle);

    /** An attempt was queued in this transaction: whatever belongs to it is written, too. */
    default void attemptQueued(SqlConnection handle, RunId run, int attempt) {}

    /** Asks that a table be read by this index. */
    String indexHint(String index);

    /** How two tables are joined in just this order. */
    String orderedJoin();

    /** A condition with one parameter, this node: that what a node has begun is this one's to do, because it is alive or the other is not. */
    String ownedCondition(String column);

    /** What time it is for all who share the rows. */
    default Instant time(SqlConnection handle, Clock own) {
        return own.now();
    }

    /** Changes something that nobody reads, as durably as anything. */
    int writeProbe(SqlConnection handle);

    /** What the failure of a commit means. */
    CommitFailure explain(Throwable e);

    /** What became of a commit that failed. */
    sealed interface CommitFailure {

        /** Nothing of it happened, and doing it again would fail again. */
        record Permanent(Throwable why) implements CommitFailure {}

        /** Nothing of it happened, and it may work if it is done again. */
        record Retryable() implements CommitFailure {}

        /** The connection is gone; whether it happened, the next one knows. */
        record ConnectionLost() implements CommitFailure {}
    }

    /** Whether the last transaction of this node's writer that got anywhere is the one that left this mark. */
    boolean isCommitted(SqlConnection handle, long mark);

    void backUp(Path copy);

    Optional<String> damage();

    /** How much of the disk it takes. */
    long bytes();

    /** A reading connection that fails so is of no use any more. */
    default boolean isConnectionLost(RuntimeException e) {
        return false;
    }

    /** Lets go of what it holds itself. */
    default void close() {}
}
