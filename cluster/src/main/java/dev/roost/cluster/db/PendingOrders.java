package dev.roost.cluster.db;

import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.RunId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What attempts that are about to be queued are to do. Each becomes a row in the very transaction that queues its attempt. */
public final class PendingOrders {

    private record OrderKey(RunId run, int attempt) {}

    private record PendingOrder(Set<String> needs, String wish) {}

    private final Map<OrderKey, PendingOrder> orders = new ConcurrentHashMap<>();

    /** Until whoever queues it knows what became of that: a write may wait out an outage of the database, however long. */
    public void put(RunId run, int attempt, Set<String> needs, String wish) {
        orders.put(new OrderKey(run, attempt), new PendingOrder(needs, wish));
    }

    public void remove(RunId run, int attempt) {
        orders.remove(new OrderKey(run, attempt));
    }

    /** Part of a transaction that may be done again, so it stays here. */
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
