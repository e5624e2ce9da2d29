package dev.roost.cluster;

import dev.roost.run.Clock;
import dev.roost.run.RunId;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;

/** What attempts that are about to be queued are to do. Each becomes a row in the very transaction that queues its attempt. */
final class Given {

    private static final Duration KEPT = Duration.ofMinutes(10);

    private record Key(RunId run, int attempt) {}

    private record Order(Set<String> needs, String wish, long at) {}

    private final Clock clock;
    private final Map<Key, Order> orders = new ConcurrentHashMap<>();

    Given(Clock clock) {
        this.clock = clock;
    }

    /** What nobody came to queue is forgotten in time. */
    void put(RunId run, int attempt, Set<String> needs, String wish) {
        long now = clock.monotonicNanos();
        orders.values().removeIf(order -> now - order.at() > KEPT.toNanos());
        orders.put(new Key(run, attempt), new Order(needs, wish, now));
    }

    void remove(RunId run, int attempt) {
        orders.remove(new Key(run, attempt));
    }

    /** Part of a transaction that may be done again, so it stays here. */
    void write(Handle handle, RunId run, int attempt) {
        var order = orders.get(new Key(run, attempt));
        if (order == null) return;
        handle.createUpdate("INSERT INTO job (run_id, attempt, needs, wish) VALUES (:run, :attempt, :needs, :wish)")
                .bind("run", run.text())
                .bind("attempt", attempt)
                .bindArray("needs", String.class, order.needs())
                .bind("wish", order.wish())
                .execute();
    }
}
