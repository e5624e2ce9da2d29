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

/** The database of a ledger; its implementations cover what differs between SQLite and PostgreSQL. */
public interface LedgerDatabase {

    /** The name of this node among those that share the database; empty for an embedded ledger. */
    String node();

    /** A new connection for the writing thread; called again when the last connection broke. */
    SqlConnection writing();

    /** A new read-only connection. */
    SqlConnection reading();

    /**
     * Locks these keys until the end of the transaction, and waits for transactions that hold them. Called first in a
     * transaction. The transaction stores {@code mark}, by which {@link #isCommitted} recognizes it.
     */
    void lock(SqlConnection handle, Collection<String> keys, long mark);

    /** Locks the keys that are free, without waiting, and returns them. */
    Set<String> lockAtOnce(SqlConnection handle, Collection<String> keys);

    /** Inserts events with numbers greater than all committed ones; called last in a transaction. */
    void numberEvents(SqlConnection handle, List<PendingEvent> events);

    /** An event that waits for its number. */
    record PendingEvent(String run, int attempt, long at, EventKind kind, String text) {}

    /** The greatest event number ever assigned. */
    long newestEvent(SqlConnection handle);

    /** Called when this transaction queued an attempt, so that the database can add rows of its own. */
    default void attemptQueued(SqlConnection handle, RunId run, int attempt) {}

    /** An SQL hint to read a table by this index, or an empty string. */
    String indexHint(String index);

    /** The SQL join that keeps the order of the two tables. */
    String orderedJoin();

    /** An SQL condition with this node as parameter: the column names this node, or a lost node that it replaces. */
    String ownedCondition(String column);

    /** The current time for all nodes that share the database. */
    default Instant time(SqlConnection handle, Clock own) {
        return own.now();
    }

    /** A durable write that changes no ledger data. */
    int writeProbe(SqlConnection handle);

    /** Classifies the failure of a commit. */
    CommitFailure explain(Throwable e);

    /** The kinds of commit failure. */
    sealed interface CommitFailure {

        /** The transaction was rolled back, and a retry would fail again. */
        record Permanent(Throwable why) implements CommitFailure {}

        /** The transaction was rolled back, and a retry may succeed. */
        record Retryable() implements CommitFailure {}

        /** The connection is lost; {@link #isCommitted} on the next connection says whether the transaction was committed. */
        record ConnectionLost() implements CommitFailure {}
    }

    /** Whether the last committed transaction of this node's writer is the one with this mark. */
    boolean isCommitted(SqlConnection handle, long mark);

    void backUp(Path copy);

    Optional<String> damage();

    /** The size of the database on the disk. */
    long bytes();

    /** Whether this failure means that the read connection is lost. */
    default boolean isConnectionLost(RuntimeException e) {
        return false;
    }

    /** Closes the database's own resources. */
    default void close() {}
}
