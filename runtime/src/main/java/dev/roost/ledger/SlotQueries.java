package dev.roost.ledger;

import dev.roost.base.Refusal;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;

/** Finds runs for free slots. Live runs are counted in the transaction that adds one, so a crash cannot make the count wrong. */
final class SlotQueries {

    private SlotQueries() {}

    static void refuseIfFull(SqlConnection handle, Owner owner, Caps caps) {
        record Live(int machine, int own) {}
        var live = handle.select("""
                        SELECT count(*) AS machine, count(*) FILTER (WHERE r.owner = ?) AS own
                          FROM attempt a JOIN run r ON r.id = a.run_id WHERE a.ended_at IS NULL
                        """, owner.id()).one(row -> new Live(row.getInt("machine"), row.getInt("own")));
        boolean own = live.own >= caps.perOwner();
        if (!own && live.machine < caps.machine()) return;
        throw new Refusal(
                "over_capacity",
                own
                        ? "%s has %d live runs, the maximum for this owner.".formatted(owner, live.own)
                        : "There are %d live runs, the maximum for this machine.".formatted(live.machine),
                "Wait for a run to end, stop one, or raise the cap in config.toml or of the token.");
    }

    private static boolean hasQueuedRun(SqlConnection handle, long now) {
        return handle.select(
                        "SELECT EXISTS (SELECT 1 FROM attempt WHERE status = 'queued' AND coalesce(parked_until, 0) <= ?)",
                        now)
                .one(SqlConnection::truth);
    }

    /** Queued runs that get a slot now: first those whose owner then has the fewest live runs, then the oldest. */
    static List<RunId> next(SqlConnection handle, Caps caps, long now, int limit) {
        if (!hasQueuedRun(handle, now)) return List.of(); // the usual case, without a count of live runs
        var live = new HashMap<String, Integer>();
        var busy = handle.select("""
                        SELECT r.owner FROM attempt a JOIN run r ON r.id = a.run_id
                         WHERE a.ended_at IS NULL AND a.status = 'running'
                        """).list(SqlConnection::text);
        int free = Math.min(limit, caps.machine() - busy.size());
        if (free <= 0) return List.of();
        for (var owner : busy) live.merge(owner, 1, Integer::sum);
        record Candidate(RunId run, int live) {}
        return handle
                .select("""
                        SELECT a.run_id, r.owner FROM attempt a JOIN run r ON r.id = a.run_id
                         WHERE a.status = 'queued' AND coalesce(a.parked_until, 0) <= ? ORDER BY a.created_at, a.run_id
                        """, now)
                .list(row -> new Candidate(new RunId(row.getString(1)), live.merge(row.getString(2), 1, Integer::sum)))
                .stream()
                .filter(candidate -> candidate.live <= caps.perOwner())
                .sorted(Comparator.comparingInt(Candidate::live)) // a stable sort: equal ones stay ordered by age
                .limit(free)
                .map(Candidate::run)
                .toList();
    }
}
