package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.Phase;
import dev.roost.run.Status;
import java.time.Instant;
import java.util.List;

/** Counts what lives and what waits, each by the index that holds nothing else: what has ended costs nothing here. */
record Counting(Store store) {

    Tally take(Sql handle, int owners, Instant now) {
        return new Tally(
                now,
                live(handle),
                busiest(handle, owners),
                unread(handle),
                notices(handle),
                deliveries(handle),
                spent(handle),
                spenders(handle, owners),
                0,
                0);
    }

    private List<Tally.Live> live(Sql handle) {
        return handle.select("""
                        SELECT a.status, a.phase, r.agent, count(*) AS runs, min(a.created_at) AS since, min(a.asked_at) AS asked
                          FROM attempt a%s JOIN run r ON r.id = a.run_id
                         WHERE a.ended_at IS NULL GROUP BY a.status, a.phase, r.agent
                        """.formatted(store.by("attempt_live")))
                .list(row -> new Tally.Live(
                        Status.of(row.getString("status")),
                        Phase.of(row.getString("phase")),
                        row.getString("agent"),
                        row.getInt("runs"),
                        Instant.ofEpochMilli(row.getLong("since")),
                        Rows.time(row, "asked")));
    }

    private List<Tally.OfOwner> busiest(Sql handle, int most) {
        return handle.select("""
                        SELECT r.owner, count(*) AS runs
                          FROM attempt a%s JOIN run r ON r.id = a.run_id
                         WHERE a.ended_at IS NULL GROUP BY r.owner ORDER BY runs DESC, r.owner LIMIT ?
                        """.formatted(store.by("attempt_live")), most)
                .list(row -> new Tally.OfOwner(new Owner(row.getString("owner")), row.getInt("runs")));
    }

    private long unread(Sql handle) {
        return handle.select("""
                        SELECT count(*) FROM attempt%s
                         WHERE ended_at IS NOT NULL AND read_at IS NULL
                        """.formatted(store.by("attempt_unread"))).one(Sql::number);
    }

    /** Of a silent run nobody is told, so it keeps nobody waiting. */
    private List<Tally.Pending> notices(Sql handle) {
        return handle.select("""
                        SELECT n.kind, coalesce(o.state, 'none') AS session, count(*) AS notices, min(n.created_at) AS since
                          FROM notice n%s
                          LEFT JOIN owner o ON o.id = n.owner LEFT JOIN run r ON r.id = n.run_id
                         WHERE n.acked_at IS NULL AND coalesce(r.notify, 'done') <> 'silent' GROUP BY n.kind, session
                        """.formatted(store.by("notice_pending")))
                .list(row -> new Tally.Pending(
                        row.getString("kind"),
                        row.getString("session"),
                        row.getInt("notices"),
                        Instant.ofEpochMilli(row.getLong("since"))));
    }

    private List<Tally.Due> deliveries(Sql handle) {
        return handle.select("""
                        SELECT channel, count(*) AS notices, count(failing_since) AS failing
                          FROM delivery%s WHERE next_at IS NOT NULL GROUP BY channel
                        """.formatted(store.by("delivery_due")))
                .list(row -> new Tally.Due(row.getString("channel"), row.getInt("notices"), row.getInt("failing")));
    }

    private static Tally.Spent spent(Sql handle) {
        return handle.select("""
                        SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_micros), 0) AS micros FROM spend
                        """).one(row -> new Tally.Spent(row.getLong("tokens"), row.getLong("micros")));
    }

    private static List<Tally.Spender> spenders(Sql handle, int most) {
        return handle.select("""
                        SELECT owner, sum(tokens) AS tokens, sum(cost_micros) AS micros
                          FROM spend GROUP BY owner ORDER BY micros DESC, tokens DESC, owner LIMIT ?
                        """, most)
                .list(row -> new Tally.Spender(
                        new Owner(row.getString("owner")),
                        new Tally.Spent(row.getLong("tokens"), row.getLong("micros"))));
    }
}
