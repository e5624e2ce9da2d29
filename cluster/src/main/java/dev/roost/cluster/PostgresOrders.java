package dev.roost.cluster;

import dev.roost.agents.AttemptJob;
import dev.roost.cluster.db.PendingOrders;
import dev.roost.cluster.db.SqlArray;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import dev.roost.node.AttemptOrder;
import dev.roost.node.OrderStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Stores attempt orders as rows. */
record PostgresOrders(Ledger ledger, PendingOrders pendingOrders, NodeRequirements requirements) implements OrderStore {

    /** The node that starts the attempt makes the job from the order. */
    @Override
    public void put(RunId run, int attempt, AttemptOrder order, Supplier<AttemptJob> job) {
        pendingOrders.put(run, attempt, requirements.needs(order), order.json());
    }

    @Override
    public void discard(RunId run, int attempt) {
        pendingOrders.remove(run, attempt);
    }

    @Override
    public boolean has(RunId run, int attempt) {
        return get(run, attempt).isPresent();
    }

    @Override
    public Optional<AttemptOrder> get(RunId run, int attempt) {
        return ledger.read(handle -> handle.select(
                                "SELECT wish FROM job WHERE run_id = ? AND attempt = ?", run.text(), attempt)
                        .optional(SqlConnection::text))
                .map(AttemptOrder::read);
    }

    /** The labels that a node must have to start the latest attempt of each run. */
    Map<RunId, Set<String>> needs(List<RunRecord> runs) {
        if (runs.isEmpty()) return Map.of();
        var ids = SqlArray.texts(runs.stream().map(run -> run.id().text()).toList());
        return ledger.read(handle -> handle
                .select("""
                        SELECT j.run_id, j.needs FROM job j JOIN run r ON r.id = j.run_id AND r.attempt = j.attempt
                         WHERE j.run_id = ANY (?)
                        """, ids)
                .list(row -> Map.entry(new RunId(row.getString("run_id")), Set.copyOf(NodeRow.texts(row, "needs"))))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /** The labels that a node must have to start the attempt. */
    Set<String> needs(RunId run, int attempt) {
        return ledger.read(
                handle -> handle.select("SELECT needs FROM job WHERE run_id = ? AND attempt = ?", run.text(), attempt)
                        .optional(row -> Set.copyOf(NodeRow.texts(row, "needs")))
                        .orElse(Set.of()));
    }
}
