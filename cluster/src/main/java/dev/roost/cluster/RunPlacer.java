package dev.roost.cluster;

import dev.roost.base.Clock;
import dev.roost.base.FaultPoints;
import dev.roost.cluster.Placement.PlacedRun;
import dev.roost.cluster.Placement.QueuedRun;
import dev.roost.cluster.db.SqlArray;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.Caps;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Places queued runs on nodes, in one transaction under the claim lock, so no cap is ever exceeded. */
final class RunPlacer {

    /** Limits how many runs of one owner with the same needs and previous node are read, so that runs that cannot start do not hide others. */
    private static final int OF_ONE_KIND = 64;

    /** Uses the database's clock; otherwise the node whose clock is ahead would decide for all. */
    private static final String DUE = "coalesce(a.parked_until, 0) <= extract(epoch FROM clock_timestamp()) * 1000";

    private final Ledger ledger;
    private final Clock clock;
    private final String self;

    RunPlacer(Ledger ledger, Clock clock, String self) {
        this.ledger = ledger;
        this.clock = clock;
        this.self = self;
    }

    /** Read without the lock: whether there are both queued runs and free slots. */
    boolean hasWork() {
        return ledger.read(handle ->
                handle.select("SELECT EXISTS (SELECT 1 FROM attempt a WHERE a.status = 'queued' AND %s)".formatted(DUE))
                                .one(SqlConnection::truth)
                        && Lease.all(handle).stream().anyMatch(node -> node.free() > 0));
    }

    List<PlacedRun> place(Caps caps) {
        return ledger.writeWithClaimLock(
                placed -> placed.stream().map(one -> new RunId(one.run().run())).toList(), handle -> {
                    var nodes = Lease.all(handle);
                    var roomy = nodes.stream()
                            .filter(node -> node.free() > 0)
                            .map(NodeRow::name)
                            .toList();
                    if (roomy.isEmpty()) return List.of();
                    var plan = Placement.plan(queue(handle, roomy), nodes, running(handle), caps);
                    return assign(handle, plan);
                });
    }

    private List<QueuedRun> queue(SqlConnection handle, List<String> roomy) {
        return handle.select("""
                        SELECT run_id, n, owner, created_at, needs, before FROM (
                            SELECT a.run_id, a.n, r.owner, a.created_at, coalesce(j.needs, '{}') AS needs,
                                   r.holder AS before,
                                   row_number() OVER (PARTITION BY r.owner, r.holder, j.needs
                                                          ORDER BY a.created_at, a.run_id) AS place
                              FROM attempt a JOIN run r ON r.id = a.run_id
                              LEFT JOIN job j ON j.run_id = a.run_id AND j.attempt = a.n
                             WHERE a.status = 'queued' AND %s
                               AND EXISTS (SELECT 1 FROM node
                                            WHERE name = ANY (?) AND labels @> coalesce(j.needs, '{}'))) AS waiting
                         WHERE place <= ?
                        """.formatted(DUE), SqlArray.texts(roomy), OF_ONE_KIND)
                .list(row -> new QueuedRun(
                        row.getString("run_id"),
                        row.getInt("n"),
                        row.getString("owner"),
                        row.getLong("created_at"),
                        Set.copyOf(NodeRow.texts(row, "needs")),
                        Optional.ofNullable(row.getString("before")).filter(node -> !node.isEmpty())));
    }

    private static Map<String, Integer> running(SqlConnection handle) {
        var running = new HashMap<String, Integer>();
        handle.select("""
                        SELECT r.owner, count(*) AS live FROM attempt a JOIN run r ON r.id = a.run_id
                         WHERE a.status = 'running' GROUP BY r.owner
                        """).list(row -> running.put(row.getString("owner"), row.getInt("live")));
        return running;
    }

    /** Skips runs with a stop request. Uses a constant number of statements. */
    private List<PlacedRun> assign(SqlConnection handle, List<PlacedRun> plan) {
        if (plan.isEmpty()) return plan;
        var held = ledger.lockAtOnce(
                handle, plan.stream().map(one -> one.run().run()).toList());
        var locked = plan.stream().filter(one -> held.contains(one.run().run())).toList();
        var won = Set.copyOf(handle.select(
                        """
                        UPDATE attempt SET status = 'running', phase = 'starting', started_at = ?, parked_until = NULL,
                                           node = placed.node
                          FROM unnest(?, ?, ?) AS placed (run_id, n, node)
                         WHERE attempt.run_id = placed.run_id AND attempt.n = placed.n AND attempt.status = 'queued'
                        RETURNING attempt.run_id
                        """,
                        now(),
                        SqlArray.texts(
                                locked.stream().map(one -> one.run().run()).toList()),
                        SqlArray.counts(
                                locked.stream().map(one -> one.run().attempt()).toList()),
                        SqlArray.texts(locked.stream().map(PlacedRun::node).toList()))
                .list(SqlConnection::text));
        var placed =
                locked.stream().filter(one -> won.contains(one.run().run())).toList();
        StartScheduler.schedule(handle, placed);
        for (var one : placed) {
            ledger.step(FaultPoints.Step.CLAIM);
            ledger.addEvent(
                    new RunId(one.run().run()),
                    one.run().attempt(),
                    EventKind.CLAIMED,
                    one.node().equals(self) ? "a slot was free" : "a slot was free on " + one.node());
        }
        return placed;
    }

    private long now() {
        return clock.now().toEpochMilli();
    }
}
