package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.Owner;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Who may run: counted in the rows themselves, inside the transaction that adds one, so that no crash can miscount. */
final class Slots {

    private Slots() {}

    static void refuseOneTooMany(Handle handle, Owner owner, Caps caps) {
        record Live(int machine, int own) {}
        var live = handle.select("""
                        SELECT count(*) AS machine, count(*) FILTER (WHERE r.owner = ?) AS own
                          FROM attempt a JOIN run r ON r.id = a.run_id WHERE a.ended_at IS NULL
                        """, owner.id())
                .map((row, _) -> new Live(row.getInt("machine"), row.getInt("own")))
                .one();
        boolean own = live.own >= caps.perOwner();
        if (!own && live.machine < caps.machine()) return;
        throw new Refused(
                "over_capacity",
                own
                        ? "%s has %d live runs already, as many as an owner may have.".formatted(owner, live.own)
                        : "There are %d live runs already, as many as this machine may have.".formatted(live.machine),
                "Wait for one to end, stop one, or raise the cap in config.toml.");
    }

    /** The queued run whose owner has the fewest live ones, then the oldest; empty if none may run now. */
    static Optional<RunId> next(Handle handle, Caps caps, long now) {
        return handle.select("""
                        WITH busy AS (SELECT r.owner, count(*) AS live FROM attempt a JOIN run r ON r.id = a.run_id
                                       WHERE a.ended_at IS NULL AND a.status = 'running' GROUP BY r.owner)
                        SELECT a.run_id FROM attempt a JOIN run r ON r.id = a.run_id LEFT JOIN busy b ON b.owner = r.owner
                         WHERE a.status = 'queued' AND coalesce(a.parked_until, 0) <= ? AND coalesce(b.live, 0) < ?
                           AND (SELECT coalesce(sum(live), 0) FROM busy) < ?
                         ORDER BY coalesce(b.live, 0), a.created_at, a.run_id LIMIT 1
                        """, now, caps.perOwner(), caps.machine())
                .map((row, _) -> new RunId(row.getString("run_id")))
                .findOne();
    }
}
