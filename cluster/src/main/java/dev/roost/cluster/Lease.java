package dev.roost.cluster;

import dev.roost.base.ErrorCode;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.SqlArray;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.os.Processes;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** This node's row. While it is renewed in time, no node takes over this node's runs. All times are the database's clock. */
final class Lease implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Lease.class.getName());

    /** A node whose own lease had expired starts a new period of steady renewal. */
    private static final String STEADY =
            "CASE WHEN lease_until < clock_timestamp() THEN clock_timestamp() ELSE steady_since END";

    private final ConnectionSource database;
    private final NodeIdentity identity;
    private volatile long epoch;
    private @Nullable SqlConnection connection;

    Lease(ConnectionSource database, NodeIdentity identity) {
        this.database = database;
        this.identity = identity;
    }

    /** Uses a connection of its own, so that other work on the database cannot delay a renewal. */
    private synchronized <T> T withOwnConnection(Function<SqlConnection, T> work) {
        if (connection == null) connection = database.open();
        var handle = connection;
        try {
            return work.apply(handle);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        var handle = connection;
        connection = null;
        try {
            if (handle != null) handle.close();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a broken connection was not closed", e);
        }
    }

    /**
     * Joins the cluster as a node that starts no runs yet. Refused if another home has this name and has runs or may come back,
     * or if a copy of this home is alive on another machine. {@code heard_at} stays if the node never became available, so a
     * node that crashes repeatedly during its start still expires.
     */
    void join() {
        epoch = withOwnConnection(handle -> handle.select(
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
                .orElseThrow(() -> ErrorCode.NODE_NAME_TAKEN.error(
                        "The node name %s is in use by another node, which is alive or still has runs."
                                .formatted(identity.name()),
                        "Set another [node] name in config.toml. If this is the same machine after a restart, try again in %d s."
                                .formatted(identity.leases().lease().toSeconds())));
    }

    /** Called after recovery: renews the lease and lets the node take runs. */
    void becomeAvailable() {
        withOwnConnection(handle ->
                handle.execute("""
                UPDATE node SET settled = TRUE, heard_at = clock_timestamp(), steady_since = %s,
                                lease_until = clock_timestamp() + ? * interval '1 millisecond'
                 WHERE name = ? AND epoch = ?
                """.formatted(STEADY), identity.leases().lease().toMillis(), identity.name(), epoch));
    }

    /** The result of a renewal. */
    enum LeaseState {
        /** The lease was renewed in time. */
        HELD,
        /** The lease was renewed late; other nodes may have taken over runs of this node. */
        LAPSED,
        /** Another daemon has this node's name now. */
        TAKEN
    }

    /** {@code draining}: the operator drains the node and its runs move to other nodes. */
    record Renewal(LeaseState state, boolean draining) {}

    Renewal renew() {
        return withOwnConnection(handle -> handle.select(
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
     * Called when the daemon stops. A drained node without runs leaves the cluster, and is a member again when it comes back.
     * Any other node keeps its lease, so that its queued runs wait for its restart until the lease expires.
     */
    void release() {
        withOwnConnection(handle -> handle.execute("""
                UPDATE node SET state = 'left', moving = FALSE, lease_until = clock_timestamp()
                 WHERE name = ? AND epoch = ? AND state = 'draining'
                   AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.status = 'running' AND a.node = node.name)
                """, identity.name(), epoch));
    }

    static List<NodeRow> all(SqlConnection handle) {
        return handle.select(NodeRow.SELECT + " ORDER BY n.name").list(row -> NodeRow.of(row));
    }

    /**
     * Nodes whose runs may be taken over: without a heartbeat for their grace, while this node renewed steadily for as long.
     * After an outage of the database no node renewed, so every node gets its full grace again.
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

    /** Called in the takeover's transaction: true if the node is still expired. The row lock keeps it from coming back meanwhile. */
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
