package dev.roost.cluster;

import dev.roost.ledger.Sql;
import dev.roost.run.RunId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What attempts that are about to be queued are to do. Each becomes a row in the very transaction that queues its attempt. */
final class Given {

    private record Key(RunId run, int attempt) {}

    private record Order(Set<String> needs, String wish) {}

    private final Map<Key, Order> orders = new ConcurrentHashMap<>();

    /** Until whoever queues it knows what became of that: a write may wait out an outage of the database, however long. */
    void put(RunId run, int attempt, Set<String> needs, String wish) {
        orders.put(new Key(run, attempt), new Order(needs, wish));
    }

    void remove(RunId run, int attempt) {
        orders.remove(new Key(run, attempt));
    }

    /** Part of a transaction that may be done again, so it stays here. */
    void write(Sql handle, RunId run, int attempt) {
        var order = orders.get(new Key(run, attempt));
        if (order == null) return;
        handle.execute(
                "INSERT INTO job (run_id, attempt, needs, wish) VALUES (?, ?, ?, ?)",
                run.text(),
                attempt,
                Many.texts(order.needs()),
                order.wish());
    }
}
