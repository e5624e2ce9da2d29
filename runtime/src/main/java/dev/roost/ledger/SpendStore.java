package dev.roost.ledger;

import dev.roost.ledger.db.ReadConnections;
import dev.roost.ledger.record.LedgerStats;
import dev.roost.model.Owner;
import dev.roost.model.Usage;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;

/** What owners have spent, and counts of live runs, notices and deliveries. */
public final class SpendStore {
    /** How many runs of an owner are live, and how many ended runs are unread. */
    public record OwnerCounts(Owner owner, int live, int unread) {}

    /** The usage of an owner's runs on a day in UTC; the cost is in millionths of a dollar. */
    public record DailySpend(LocalDate day, Owner owner, long tokens, long costMicros) {}

    private final WriteContext context;
    private final ReadConnections reader;

    SpendStore(WriteContext context, ReadConnections reader) {
        this.context = context;
        this.reader = reader;
    }

    /** The usage of an owner's runs today, in UTC. */
    public Usage spentToday(Owner owner) {
        return reader.with(
                handle -> UsageWrites.spent(handle, owner, context.clock().now()));
    }

    /** Current counts; per-owner counts only for the {@code owners} biggest owners. */
    public LedgerStats tally(int owners) {
        var stats = reader.with(handle -> new StatsQueries(context.database())
                .take(handle, owners, context.clock().now()));
        return stats.with(context.writer().waiting(), context.database().bytes());
    }

    /** Every owner that has a run, by name. */
    public List<OwnerCounts> owners(Optional<Owner> owner) {
        return reader.with(handle -> handle.select("""
                        SELECT r.owner, count(*) FILTER (WHERE a.ended_at IS NULL) AS live,
                               count(*) FILTER (WHERE a.ended_at IS NOT NULL AND a.read_at IS NULL) AS unread
                          FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                         WHERE r.owner = coalesce(?, r.owner) GROUP BY r.owner ORDER BY r.owner
                        """, owner.map(Owner::id).orElse(null))
                .list(row ->
                        new OwnerCounts(new Owner(row.getString("owner")), row.getInt("live"), row.getInt("unread"))));
    }

    /** Newest day first, then by owner. */
    public List<DailySpend> spent(LocalDate since, Optional<Owner> owner) {
        return reader.with(handle -> handle.select(
                        """
                        SELECT day, owner, sum(tokens) AS tokens, sum(cost_micros) AS cost_micros FROM spend
                         WHERE day >= ? AND owner = coalesce(?, owner) GROUP BY day, owner ORDER BY day DESC, owner
                        """, since.toString(), owner.map(Owner::id).orElse(null))
                .list(row -> new DailySpend(
                        LocalDate.parse(row.getString("day")),
                        new Owner(row.getString("owner")),
                        row.getLong("tokens"),
                        row.getLong("cost_micros"))));
    }
}
