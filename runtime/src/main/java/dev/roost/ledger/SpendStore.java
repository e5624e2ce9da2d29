package dev.roost.ledger;

import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.LedgerStats;
import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.model.Usage;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;

/** What owners have spent, and counts of live runs, notices and deliveries. */
public record SpendStore(LedgerContext context) {
    /** How many runs of an owner are live, and how many ended runs are unread. */
    public record OwnerCounts(Owner owner, int live, int unread) {}

    /** The usage of an owner's runs on a day in UTC; the cost is in millionths of a dollar. */
    public record DailySpend(LocalDate day, Owner owner, long tokens, long costMicros) {}

    /** The usage of an owner's runs today, in UTC. */
    public Usage spentToday(Owner owner) {
        return context.read(handle -> handle.select("""
                        SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_micros), 0) AS cost_micros FROM spend
                         WHERE owner = ? AND day = ? HAVING count(*) > 0
                        """, owner, AttemptWrites.day(context.now()))
                .optional(row -> new Usage(row.getLong("tokens"), 0, 0, Optional.of(row.getLong("cost_micros")), 0))
                .orElse(Usage.NONE));
    }

    /** Current counts; per-owner counts only for the {@code owners} biggest owners. */
    public LedgerStats tally(int owners) {
        return context.read(handle -> take(handle, owners));
    }

    /** Every owner that has a run, by name. */
    public List<OwnerCounts> owners(Optional<Owner> owner) {
        return context.read(handle -> handle.select("""
                        SELECT r.owner, count(*) FILTER (WHERE a.ended_at IS NULL) AS live,
                               count(*) FILTER (WHERE a.ended_at IS NOT NULL AND a.read_at IS NULL) AS unread
                          FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                         WHERE r.owner = coalesce(?, r.owner) GROUP BY r.owner ORDER BY r.owner
                        """, owner)
                .list(row ->
                        new OwnerCounts(new Owner(row.getString("owner")), row.getInt("live"), row.getInt("unread"))));
    }

    /** Newest day first, then by owner. */
    public List<DailySpend> spent(LocalDate since, Optional<Owner> owner) {
        return context.read(handle -> handle.select("""
                        SELECT day, owner, sum(tokens) AS tokens, sum(cost_micros) AS cost_micros FROM spend
                         WHERE day >= ? AND owner = coalesce(?, owner) GROUP BY day, owner ORDER BY day DESC, owner
                        """, since.toString(), owner)
                .list(row -> new DailySpend(
                        LocalDate.parse(row.getString("day")),
                        new Owner(row.getString("owner")),
                        row.getLong("tokens"),
                        row.getLong("cost_micros"))));
    }

    // each query uses a partial index, so ended runs cost nothing

    private LedgerStats take(SqlConnection handle, int owners) {
        return new LedgerStats(
                context.now(),
                live(handle),
                busiest(handle, owners),
                unread(handle),
                notices(handle),
                deliveries(handle),
                spent(handle),
                spenders(handle, owners),
                context.writer().waiting(),
                context.database().bytes());
    }

    private List<LedgerStats.LiveRuns> live(SqlConnection handle) {
        return handle.select("""
                        SELECT a.status, a.phase, r.agent, count(*) AS runs, min(a.created_at) AS since, min(a.asked_at) AS asked
                          FROM attempt a%s JOIN run r ON r.id = a.run_id
                         WHERE a.ended_at IS NULL GROUP BY a.status, a.phase, r.agent
                        """.formatted(context.database().indexHint("attempt_live")))
                .list(row -> new LedgerStats.LiveRuns(
                        Status.of(row.getString("status")),
                        Phase.of(row.getString("phase")),
                        row.getString("agent"),
                        row.getInt("runs"),
                        Instant.ofEpochMilli(row.getLong("since")),
                        RowMappers.time(row, "asked")));
    }

    private List<LedgerStats.OwnerRunCount> busiest(SqlConnection handle, int limit) {
        return handle.select("""
                        SELECT r.owner, count(*) AS runs
                          FROM attempt a%s JOIN run r ON r.id = a.run_id
                         WHERE a.ended_at IS NULL GROUP BY r.owner ORDER BY runs DESC, r.owner LIMIT ?
                        """.formatted(context.database().indexHint("attempt_live")), limit)
                .list(row -> new LedgerStats.OwnerRunCount(new Owner(row.getString("owner")), row.getInt("runs")));
    }

    private long unread(SqlConnection handle) {
        return handle.select("""
                        SELECT count(*) FROM attempt%s
                         WHERE ended_at IS NOT NULL AND read_at IS NULL
                        """.formatted(context.database().indexHint("attempt_unread")))
                .one(SqlConnection::number);
    }

    /** Pending notices, without those of silent runs, which no session waits for. */
    private List<LedgerStats.PendingNotices> notices(SqlConnection handle) {
        return handle.select("""
                        SELECT n.kind, coalesce(o.state, 'none') AS session, count(*) AS notices, min(n.created_at) AS since
                          FROM notice n%s
                          LEFT JOIN owner o ON o.id = n.owner LEFT JOIN run r ON r.id = n.run_id
                         WHERE n.acked_at IS NULL AND coalesce(r.notify, 'done') <> 'silent' GROUP BY n.kind, session
                        """.formatted(context.database().indexHint("notice_pending")))
                .list(row -> new LedgerStats.PendingNotices(
                        row.getString("kind"),
                        row.getString("session"),
                        row.getInt("notices"),
                        Instant.ofEpochMilli(row.getLong("since"))));
    }

    private List<LedgerStats.DueDeliveries> deliveries(SqlConnection handle) {
        return handle.select("""
                        SELECT channel, count(*) AS notices, count(failing_since) AS failing
                          FROM delivery%s WHERE next_at IS NOT NULL GROUP BY channel
                        """.formatted(context.database().indexHint("delivery_due")))
                .list(row -> new LedgerStats.DueDeliveries(
                        row.getString("channel"), row.getInt("notices"), row.getInt("failing")));
    }

    private static LedgerStats.SpendTotal spent(SqlConnection handle) {
        return handle.select("""
                        SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_micros), 0) AS micros FROM spend
                        """).one(row -> new LedgerStats.SpendTotal(row.getLong("tokens"), row.getLong("micros")));
    }

    private static List<LedgerStats.OwnerSpend> spenders(SqlConnection handle, int limit) {
        return handle.select("""
                        SELECT owner, sum(tokens) AS tokens, sum(cost_micros) AS micros
                          FROM spend GROUP BY owner ORDER BY micros DESC, tokens DESC, owner LIMIT ?
                        """, limit)
                .list(row -> new LedgerStats.OwnerSpend(
                        new Owner(row.getString("owner")),
                        new LedgerStats.SpendTotal(row.getLong("tokens"), row.getLong("micros"))));
    }
}
