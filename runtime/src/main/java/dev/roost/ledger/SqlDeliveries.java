package dev.roost.ledger;

import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.Notify;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Deliveries as rows. */
final class SqlDeliveries implements Deliveries {

    private final Store store;
    private final Writer writer;
    private final Reader reader;
    private final Clock clock;

    private volatile Set<String> channels = Set.of();

    SqlDeliveries(Store store, Writer writer, Reader reader, Clock clock) {
        this.store = store;
        this.writer = writer;
        this.reader = reader;
        this.clock = clock;
    }

    @Override
    public void by(Set<String> some) {
        channels = Set.copyOf(some);
    }

    /** Part of the write that makes the notice. */
    void expect(Sql handle, long notice, Notify tell) {
        if (tell == Notify.SILENT) return;
        for (var channel : channels) {
            handle.execute(
                    "INSERT INTO delivery (notice, channel, node, tries, next_at) VALUES (?, ?, ?, 0, ?)",
                    notice,
                    channel,
                    store.node(),
                    clock.now().toEpochMilli());
        }
    }

    @Override
    public List<Delivery> open(String channel, int most) {
        record Row(long notice, int tries, Instant dueAt, Optional<Instant> failingSince, String node) {}
        return reader.with(handle -> handle
                .select("""
                        SELECT notice, tries, next_at, failing_since, node FROM delivery
                         WHERE channel = ? AND next_at IS NOT NULL AND %s ORDER BY next_at, notice LIMIT ?
                        """.formatted(store.oursToDo("delivery.node")), channel, store.node(), most)
                .list(row -> new Row(
                        row.getLong("notice"),
                        row.getInt("tries"),
                        Instant.ofEpochMilli(row.getLong("next_at")),
                        Rows.time(row, "failing_since"),
                        row.getString("node")))
                .stream()
                .flatMap(row -> Reader.notices(handle, "id = ?", row.notice).stream()
                        .map(notice -> new Delivery(notice, channel, row.tries, row.dueAt, row.failingSince, row.node)))
                .toList());
    }

    /** Its own costs it no write. */
    @Override
    public boolean claim(Delivery delivery) {
        if (delivery.node().equals(store.node())) return true;
        return writer.write(handle -> handle.execute(
                        """
                        UPDATE delivery SET node = ?
                         WHERE notice = ? AND channel = ? AND tries = ? AND next_at IS NOT NULL AND %s
                        """.formatted(store.oursToDo("delivery.node")),
                        store.node(),
                        delivery.notice().id(),
                        delivery.channel(),
                        delivery.tries(),
                        store.node())
                == 1);
    }

    @Override
    public boolean arrived(Delivery delivery) {
        return over(delivery, Optional.empty(), Optional.empty());
    }

    @Override
    public boolean failed(Delivery delivery, String why, Optional<Instant> next) {
        return over(delivery, Optional.of(why), next);
    }

    /** A try is over. Of a run that was removed meanwhile, nobody wants to know. */
    private boolean over(Delivery delivery, Optional<String> error, Optional<Instant> next) {
        return delivery.notice()
                .ofRun()
                .map(notice -> writer.write(notice.run().id(), handle -> {
                    if (!tried(handle, delivery, error, next)) return false;
                    writer.happened(new Store.Happened(
                            notice.run().id().text(),
                            notice.attempt().n(),
                            clock.now().toEpochMilli(),
                            EventKind.DELIVERY,
                            inWords(delivery, error, next)));
                    return true;
                }))
                .orElseGet(() -> writer.write(handle -> tried(handle, delivery, error, next)));
    }

    private boolean tried(Sql handle, Delivery delivery, Optional<String> error, Optional<Instant> next) {
        return handle.execute(
                        """
                        UPDATE delivery SET tries = tries + 1, next_at = ?, error = ?,
                                            failing_since = CASE WHEN ? = 1 THEN coalesce(failing_since, ?) END
                         WHERE notice = ? AND channel = ? AND tries = ? AND next_at IS NOT NULL
                        """,
                        next.map(Instant::toEpochMilli).orElse(null),
                        error.orElse(null),
                        error.isPresent() ? 1 : 0,
                        clock.now().toEpochMilli(),
                        delivery.notice().id(),
                        delivery.channel(),
                        delivery.tries())
                == 1;
    }

    private static String inWords(Delivery delivery, Optional<String> error, Optional<Instant> next) {
        String what = "n_%d by %s".formatted(delivery.notice().id(), delivery.channel());
        int tries = delivery.tries() + 1;
        if (error.isEmpty()) return "%s arrived (try %d)".formatted(what, tries);
        return next.map(at -> "%s failed (try %d), next at %s: %s".formatted(what, tries, at, error.get()))
                .orElseGet(() -> "%s given up (try %d): %s".formatted(what, tries, error.get()));
    }
}
