package dev.roost.cluster;

import dev.roost.base.Refusal;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.SqlArray;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.os.Processes;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** This node's row: as long as it is renewed in time, nobody takes over what the node has. By the database's clock alone. */
final class Lease implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Lease.class.getName());

    /** Who finds that its own lease was over has not been heard all the time. */
    private static final String STEADY =
            "CASE WHEN lease_until < clock_timestamp() THEN clock_timestamp() ELSE steady_since END";

    private final ConnectionSource database;
    private final NodeIdentity identity;
    private volatile long epoch;
    private @Nullable SqlConnection kept;

    Lease(ConnectionSource database, NodeIdentity identity) {
        this.database = database;
        this.identity = identity;
    }

    /** On a connection that nobody else uses: whoever is busy with the database must not keep the lease from being renewed. */
    private synchronized <T> T with(Function<SqlConnection, T> work) {
        if (kept == null) kept = database.open();
        var handle = kept;
        try {
            return work.apply(handle);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        var handle = kept;
        kept = null;
        try {
            if (handle != null) handle.close();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a broken connection was not closed", e);
        }
    }

    /**
     * Takes part from now on, as one that begins nothing yet. Another home that has this name keeps it while it may come back
     * or has runs; so does a copy of this home that is alive on another machine. One that dies again and again before it was
     * heard of is not taken for one that is back.
     */
    void join() {
        epoch = with(handle -> handle.select(
                                """
                        INSERT INTO node (name, home, boot, version, labels, max_live, settled, state, joined_at, heard_at,
                                          steady_since, lease_until, grace)
                        VALUES (?, ?, ?, ?, ?, ?, FALSE, 'member', now(), now(), now(),
                                now() + ? * interval '1 millisecond', ? * interval '1 millisecond')
                            ON CONFLICT (name) DO UPDATE SET epoch = node.epoch + 1, home = excluded.home, boot = excluded.boot,
                               version = excluded.version, labels = excluded.labels, max_live = excluded.max_live,
                               settled = FALSE,
                               state = CASE node.state WHEN 'draining' THEN 'draining' ELSE 'member' END,
                               joined_at = excluded.joined_at,
                               heard_at = CASE WHEN node.heard_at > node.joined_at THEN excluded.heard_at ELSE node.heard_at END,
                               steady_since = excluded.steady_since, lease_until = excluded.lease_until,
                               grace = excluded.grace
                             WHERE CASE WHEN node.home = excluded.home
                                        THEN node.boot = excluded.boot OR node.lease_until < now()
                                        ELSE node.heard_at < now() - node.grace
                                             AND NOT EXISTS (SELECT 1 FROM attempt a
                                                              WHERE a.status = 'running' AND a.node = node.name)
                                        END
                        RETURNING epoch
                        """,
                                identity.name(),
                                identity.home(),
                                Processes.bootId(),
                                identity.version(),
                                SqlArray.texts(identity.labels()),
                                identity.maxLive(),
                                identity.leases().lease().toMillis(),
                                identity.leases().grace().toMillis())
                        .optional(SqlConnection::number))
                .orElseThrow(() -> new Refusal(
                        "node_name_taken",
                        "Another node that is alive, or whose runs are not yet taken over, is called %s already."
                                .formatted(identity.name()),
                        "Give this one another name, [node] name in config.toml; or if this is that machine, and it has just started anew, try again in %d s."
                                .formatted(identity.leases().lease().toSeconds())));
    }

    /** It has looked after what it had: it is heard of, and can be given more. */
    void becomeAvailable() {
        with(handle ->
                handle.execute("""
                UPDATE node SET settled = TRUE, heard_at = clock_timestamp(), steady_since = %s,
                                lease_until = clock_timestamp() + ? * interval '1 millisecond'
                 WHERE name = ? AND epoch = ?
                """.formatted(STEADY), identity.leases().lease().toMillis(), identity.name(), epoch));
    }

    /** What a renewal finds. */
    enum LeaseState {
        /** It was in time. */
        HELD,
        /** It came late: somebody may have taken over some of what the node has. */
        LAPSED,
        /** Somebody else has this name now. */
        TAKEN
    }

    /** {@code moving}: the operator wants the node emptied. */
    record Renewal(LeaseState state, boolean draining) {}

    Renewal renew() {
        return with(handle -> handle.select(
                        """
                        UPDATE node SET heard_at = clock_timestamp(),
                                        lease_until = clock_timestamp() + ? * interval '1 millisecond', steady_since = %s
                          FROM (SELECT lease_until < clock_timestamp() AS late FROM node WHERE name = ? FOR UPDATE) AS before
                         WHERE name = ? AND epoch = ?
                        RETURNING before.late, moving
                        """.formatted(STEADY),
                        identity.leases().lease().toMillis(),
                        identity.name(),
                        identity.name(),
                        epoch)
                .optional(row -> new Renewal(
                        row.getBoolean("late") ? LeaseState.LAPSED : LeaseState.HELD, row.getBoolean("moving")))
                .orElse(new Renewal(LeaseState.TAKEN, false)));
    }

    /**
     * Its daemon stops. One that was drained and has nothing any more is not missed; when it comes back it is a member. Any
     * other keeps its lease: it may be back before that is over, and what waits for it does not go elsewhere.
     */
    void release() {
        with(handle -> handle.execute("""
                UPDATE node SET state = 'left', moving = FALSE, lease_until = clock_timestamp()
                 WHERE name = ? AND epoch = ? AND state = 'draining'
                   AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.status = 'running' AND a.node = node.name)
                """, identity.name(), epoch));
    }

    static List<NodeRow> all(SqlConnection handle) {
        return handle.select(NodeRow.SELECT + " ORDER BY n.name").list(row -> NodeRow.of(row));
    }

    /**
     * Nodes whose runs may be taken over: not heard of for as long as their grace, in which we were heard all the time. After
     * an outage of the database nobody was, and everybody gets the time to be heard again.
     */
    List<NodeRow> expiredNodes(SqlConnection handle) {
        return handle.select(NodeRow.SELECT + """
                         WHERE n.heard_at < clock_timestamp() - n.grace AND n.name <> ?
                           AND EXISTS (SELECT 1 FROM node me WHERE me.name = ? AND me.epoch = ?
                                          AND me.lease_until > clock_timestamp()
                                          AND me.steady_since < clock_timestamp() - n.grace)
                        """, identity.name(), identity.name(), epoch)
                .list(row -> NodeRow.of(row));
    }

    /** In the transaction that takes something over from it: whether it is gone even now, and cannot come back before that is done. */
    boolean isExpired(SqlConnection handle, NodeRow node) {
        return handle.select(
                        "SELECT 1 FROM node WHERE name = ? AND epoch = ? AND heard_at = ? FOR SHARE",
                        node.name(),
                        node.epoch(),
                        OffsetDateTime.ofInstant(node.heardAt(), ZoneOffset.UTC))
                .optional(SqlConnection::count)
                .isPresent();
    }
}
