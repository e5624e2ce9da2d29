package dev.roost.cluster.db;

import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.RunId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The orders of attempts that are about to be queued. Each is inserted in the transaction that queues its attempt. */
public final class PendingOrders {

    private record OrderKey(RunId run, int attempt) {}

    private record PendingOrder(Set<String> needs, String wish) {}

    private final Map<OrderKey, PendingOrder> orders = new ConcurrentHashMap<>();

    /** Kept until the caller removes it, because a write may be retried during an outage of any length. */
    public void put(RunId run, int attempt, Set<String> needs, String wish) {
        orders.put(new OrderKey(run, attempt), new PendingOrder(needs, wish));
    }

    public void remove(RunId run, int attempt) {
        orders.remove(new OrderKey(run, attempt));
    }

    /** Does not remove the order, because the transaction may be retried. */
    void write(SqlConnection handle, RunId run, int attempt) {
        var order = orders.get(new OrderKey(run, attempt));
        if (order == null) return;
        handle.execute(
                "INSERT INTO job (run_id, attempt, needs, wish) VALUES (?, ?, ?, ?)",
                run.text(),
                attempt,
                SqlArray.texts(order.needs()),
                order.wish());
    }
}
