package dev.roost.cluster;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.DoctorResult;
import dev.roost.node.NodeDirectory;
import dev.roost.node.NodeStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Lists nodes and changes their rows for the operator; each node reads its orders from its own row. */
record NodeAdmin(Ledger ledger, NodeIdentity identity, ClusterDoctor checkup) implements NodeDirectory {

    private static final String SELECT = """
            SELECT n.name, n.state, n.moving, n.max_live, n.version, n.heard_at, n.labels,
                   n.lease_until > clock_timestamp() AS live,
                   (extract(epoch FROM clock_timestamp() - n.heard_at) * 1000)::bigint AS unheard_ms,
                   (SELECT count(*) FROM attempt a WHERE a.status = 'running' AND a.node = n.name) AS running
              FROM node n
            """;

    @Override
    public List<NodeStatus> list() {
        return ledger.read(handle -> handle.select(SELECT + " ORDER BY n.name").list(row -> peer(row)));
    }

    private NodeStatus peer(ResultSet row) throws SQLException {
        var name = row.getString("name");
        return new NodeStatus(
                name,
                state(row.getString("state"), row.getBoolean("live")),
                row.getBoolean("moving"),
                row.getInt("running"),
                row.getInt("max_live"),
                row.getString("version"),
                row.getObject("heard_at", OffsetDateTime.class).toInstant(),
                Duration.ofMillis(Math.max(0, row.getLong("unheard_ms"))),
                Set.copyOf(NodeRow.texts(row, "labels")),
                name.equals(identity.name()));
    }

    /** An expired lease takes precedence over a drain. */
    private static NodeStatus.State state(String state, boolean live) {
        if (state.equals("left")) return NodeStatus.State.LEFT;
        if (!live) return NodeStatus.State.UNHEARD;
        return state.equals("draining") ? NodeStatus.State.DRAINING : NodeStatus.State.LIVE;
    }

    @Override
    public NodeStatus drain(Optional<String> name, boolean move) {
        return change(name.orElse(identity.name()), (handle, node) -> {
            if (node.state() == NodeStatus.State.LEFT) return;
            handle.execute(
                    "UPDATE node SET state = 'draining', moving = moving OR ? WHERE name = ?", move, node.name());
        });
    }

    @Override
    public NodeStatus resume(String name) {
        return change(
                name,
                (handle, node) -> handle.execute(
                        "UPDATE node SET state = 'member', moving = FALSE WHERE name = ? AND state = 'draining'",
                        node.name()));
    }

    /** Refused if a queued run can only start on this node, because it would wait forever. */
    @Override
    public NodeStatus forget(String name) {
        return change(name, (handle, node) -> {
            if (node.state() == NodeStatus.State.LIVE || node.state() == NodeStatus.State.DRAINING) {
                throw ErrorCode.NODE_ALIVE.error(
                        "The node %s is alive.".formatted(node.name()),
                        "Drain it and stop its daemon first: roost node drain %s --wait.".formatted(node.name()));
            }
            if (node.running() > 0) {
                throw ErrorCode.NODE_HAS_RUNS.error(
                        "The node %s still has %s.".formatted(node.name(), runs(node.running())));
            }
            int waiting =
                    handle.select("""
                            SELECT count(*) FROM attempt a JOIN job j ON j.run_id = a.run_id AND j.attempt = a.n
                             WHERE a.status = 'queued' AND ? = ANY (j.needs)
                            """, NodeRequirements.NODE + node.name()).one(SqlConnection::count);
            if (waiting > 0) {
                throw ErrorCode.NODE_AWAITED.error(
                        "Only the node %s can start %s that wait for it.".formatted(node.name(), runs(waiting)));
            }
            StartScheduler.deleteStartsOf(handle, node.name());
            handle.execute("DELETE FROM writer WHERE node = ?", node.name());
            handle.execute("DELETE FROM node WHERE name = ?", node.name());
        });
    }

    private static String runs(int count) {
        return count == 1 ? "1 run" : count + " runs";
    }

    private interface NodeChange {
        void on(SqlConnection handle, NodeStatus node);
    }

    /** Changes a node under the claim lock, so that no run is placed meanwhile. Returns its new state, or its last if it was deleted. */
    private NodeStatus change(String name, NodeChange change) {
        return ledger.writeWithClaimLock(_ -> List.of(), handle -> {
            var before = find(handle, name).orElseThrow(() -> none(name));
            change.on(handle, before);
            return find(handle, name).orElse(before);
        });
    }

    private Optional<NodeStatus> find(SqlConnection handle, String name) {
        return handle.select(SELECT + " WHERE n.name = ? FOR UPDATE OF n", name).optional(row -> peer(row));
    }

    private static RoostError none(String name) {
        return ErrorCode.NO_SUCH_NODE.error(
                "There is no node \"%s\".".formatted(TextFormat.printable(name)), "roost node list lists the nodes.");
    }

    @Override
    public List<DoctorResult> examine() {
        return checkup.findings(this::list);
    }
}
