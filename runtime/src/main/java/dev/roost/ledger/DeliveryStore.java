package dev.roost.ledger;

import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.Delivery;
import dev.roost.model.EventKind;
import dev.roost.model.Notify;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Deliveries of notices to commands and webhooks: each notice once by each channel, retried until it arrives or is given up. */
public final class DeliveryStore {

    private final LedgerContext context;

    private volatile Set<String> channels = Set.of();

    DeliveryStore(LedgerContext context) {
        this.context = context;
    }

    /** Sets the channels for new notices of runs that are not silent; a notice and its deliveries are one write. */
    public void setChannels(Set<String> channels) {
        this.channels = Set.copyOf(channels);
    }

    /** Adds a notice's deliveries; part of the write that adds the notice. */
    void add(SqlConnection handle, long notice, Notify notifyMode) {
        if (notifyMode == Notify.SILENT) return;
        for (var channel : channels) {
            handle.execute(
                    "INSERT INTO delivery (notice, channel, node, tries, next_at) VALUES (?, ?, ?, 0, ?)",
                    notice,
                    channel,
                    context.node(),
                    context.now());
        }
    }

    /** The channel's deliveries that have neither arrived nor been given up, earliest due first. */
    public List<Delivery> pending(String channel, int limit) {
        record Row(long notice, int tries, Instant dueAt, Optional<Instant> failingSince, String node) {}
        return context.read(handle -> handle
                .select(
                        """
                        SELECT notice, tries, next_at, failing_since, node FROM delivery
                         WHERE channel = ? AND next_at IS NOT NULL AND %s ORDER BY next_at, notice LIMIT ?
                        """.formatted(context.database().ownedCondition("delivery.node")),
                        channel,
                        context.node(),
                        limit)
                .list(row -> new Row(
                        row.getLong("notice"),
                        row.getInt("tries"),
                        Instant.ofEpochMilli(row.getLong("next_at")),
                        RowMappers.time(row, "failing_since"),
                        row.getString("node")))
                .stream()
                .flatMap(row -> NoticeStore.where(handle, "id = ?", row.notice).stream()
                        .map(notice -> new Delivery(notice, channel, row.tries, row.dueAt, row.failingSince, row.node)))
                .toList());
    }

    /**
     * Claims a delivery before it is sent. False if another node sends it in place of a lost node, or if it is over. A node's
     * own delivery needs no write.
     */
    public boolean claim(Delivery delivery) {
        if (delivery.node().equals(context.node())) return true;
        return context.write(handle -> handle.execute(
                        """
                        UPDATE delivery SET node = ?
                         WHERE notice = ? AND channel = ? AND tries = ? AND next_at IS NOT NULL AND %s
                        """.formatted(context.database().ownedCondition("delivery.node")),
                        context.node(),
                        delivery.notice().id(),
                        delivery.channel(),
                        delivery.tries(),
                        context.node())
                == 1);
    }

    /** Records that the delivery arrived; false if its result is already recorded. */
    public boolean markArrived(Delivery delivery) {
        return recordResult(delivery, Optional.empty(), Optional.empty());
    }

    /** Records a failed try; the next one is at {@code next}, or there is none. False if the try's result is already recorded. */
    public boolean markFailed(Delivery delivery, String why, Optional<Instant> next) {
        return recordResult(delivery, Optional.of(why), next);
    }

    /** Records the result of a try. Does nothing if the run has been removed. */
    private boolean recordResult(Delivery delivery, Optional<String> error, Optional<Instant> next) {
        return delivery.notice()
                .ofRun()
                .map(notice -> context.write(notice.run().id(), handle -> {
                    if (!updateDelivery(handle, delivery, error, next)) return false;
                    context.event(notice, EventKind.DELIVERY, inWords(delivery, error, next));
                    return true;
                }))
                .orElseGet(() -> context.write(handle -> updateDelivery(handle, delivery, error, next)));
    }

    private boolean updateDelivery(
            SqlConnection handle, Delivery delivery, Optional<String> error, Optional<Instant> next) {
        return handle.execute(
                        """
                        UPDATE delivery SET tries = tries + 1, next_at = ?, error = ?,
                                            failing_since = CASE WHEN ? = 1 THEN coalesce(failing_since, ?) END
                         WHERE notice = ? AND channel = ? AND tries = ? AND next_at IS NOT NULL
                        """,
                        next,
                        error,
                        error.isPresent() ? 1 : 0,
                        context.now(),
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
