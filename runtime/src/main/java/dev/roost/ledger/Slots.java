package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.Owner;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import java.util.List;

/** Who may run: counted in the rows themselves, inside the transaction that adds one, so that no crash can miscount. */
final class Slots {

    private Slots() {}

    static void refuseOneTooMany(Sql handle, Owner owner, Caps caps) {
        record Live(int machine, int own) {}
        var live = handle.select("""
                        SELECT count(*) AS machine, count(*) FILTER (WHERE r.owner = ?) AS own
                          FROM attempt a JOIN run r ON r.id = a.run_id WHERE a.ended_at IS NULL
                        """, owner.id()).one(row -> new Live(row.getInt("machine"), row.getInt("own")));
        boolean own = live.own >= caps.perOwner();
        if (!own && live.machine < caps.machine()) return;
        throw new Refused(
                "over_capacity",
                own
                        ? "%s has %d live runs already, as many as an owner may have.".formatted(owner, live.own)
                        : "There are %d live runs already, as many as this machine may have.".formatted(live.machine),
                "Wait for one to end, stop one, or raise the cap in config.toml.");
    }

    private static boolean waits(Sql handle, long now) {
        return handle.select(
                        "SELECT EXISTS (SELECT 1 FROM attempt WHERE status = 'queued' AND coalesce(parked_until, 0) <= ?)",
                        now)
                .one(Sql::truth);
    }

    /** Queued runs that may run now: first those whose owner then has the fewest live ones, then the oldest. */
    static List<RunId> next(Sql handle, Caps caps, long now, int most) {
        record Waiting(RunId run, int machine) {}
        if (!waits(handle, now)) return List.of(); // mostly; and who lives is not counted for that
        var line = handle.select("""
                        WITH busy AS (SELECT r.owner, count(*) AS live FROM attempt a JOIN run r ON r.id = a.run_id
                                       WHERE a.ended_at IS NULL AND a.status = 'running' GROUP BY r.owner),
                             line AS (SELECT a.run_id, a.created_at,
                                             coalesce(b.live, 0) + row_number() OVER (PARTITION BY r.owner
                                                 ORDER BY a.created_at, a.run_id) AS live
                                        FROM attempt a JOIN run r ON r.id = a.run_id LEFT JOIN busy b ON b.owner = r.owner
                                       WHERE a.status = 'queued' AND coalesce(a.parked_until, 0) <= ?)
                        SELECT run_id, (SELECT coalesce(sum(live), 0) FROM busy) AS machine FROM line
                         WHERE live <= ? ORDER BY live, created_at, run_id LIMIT ?
                        """, now, caps.perOwner(), Math.min(most, caps.machine()))
                .list(row -> new Waiting(new RunId(row.getString(1)), row.getInt(2)));
        int free = line.isEmpty() ? 0 : Math.max(0, caps.machine() - line.getFirst().machine);
        return line.stream().limit(free).map(Waiting::run).toList();
    }
}
