package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.ParentEvent;
import dev.roost.run.ProcessId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Parent sessions as rows. */
final class Parents {

    private Parents() {}

    static Optional<Parent> find(Sql handle, Owner owner) {
        return handle.select("SELECT * FROM owner WHERE id = ?", owner.id()).optional(row -> parent(row));
    }

    static List<Parent> all(Sql handle) {
        return handle.select("SELECT * FROM owner ORDER BY seen_at DESC").list(row -> parent(row));
    }

    /** The session that was last heard of in this process, by what the harness itself reports. */
    static Optional<Parent> in(Sql handle, Parent.Harness process) {
        return handle.select("""
                        SELECT * FROM owner WHERE pid = ? AND pid_start = ? AND boot_id = ? AND turn > 0
                         ORDER BY seen_at DESC LIMIT 1
                        """, process.id().pid(), process.id().startTicks(), process.bootId())
                .optional(row -> parent(row));
    }

    static Parent hear(Sql handle, String node, Report report, Instant now) {
        var known = find(handle, report.owner())
                .orElseGet(() -> Parent.stranger(report.owner(), report.harness(), now))
                .at(report.home(), report.process());
        var parent = save(
                handle, Offers.asItMustBe(handle, known, report.event(), now).on(report.event(), now));
        handle.execute(
                "UPDATE owner SET node = ? WHERE id = ?", node, report.owner().id());
        return parent;
    }

    /** The session, if it was last heard of on this node: it can be woken nowhere else. */
    static Optional<Parent> here(Sql handle, String node, Owner owner) {
        return handle.select("SELECT * FROM owner WHERE id = ? AND node = ?", owner.id(), node)
                .optional(row -> parent(row));
    }

    /** A turn begins that nobody asked for. */
    static void goesOn(Sql handle, Owner owner, Instant now) {
        find(handle, owner).ifPresent(parent -> save(handle, parent.on(new ParentEvent.Continued(), now)));
    }

    private static Parent save(Sql handle, Parent parent) {
        handle.execute(
                """
                INSERT INTO owner (id, harness, home, state, turn, fresh, wakes, prompted_at, interrupted_at, seen_at,
                                   pid, pid_start, boot_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET home = excluded.home, state = excluded.state, turn = excluded.turn,
                       fresh = excluded.fresh, wakes = excluded.wakes, prompted_at = excluded.prompted_at,
                       interrupted_at = excluded.interrupted_at, seen_at = excluded.seen_at, pid = excluded.pid,
                       pid_start = excluded.pid_start, boot_id = excluded.boot_id
                """,
                parent.owner().id(),
                parent.harness(),
                parent.home().orElse(null),
                parent.state().name().toLowerCase(Locale.ROOT),
                parent.turn(),
                parent.fresh() ? 1 : 0,
                parent.wakes(),
                parent.promptedAt().map(Instant::toEpochMilli).orElse(null),
                parent.interruptedAt().map(Instant::toEpochMilli).orElse(null),
                parent.seenAt().toEpochMilli(),
                parent.process().map(process -> (Object) process.id().pid()).orElse(null),
                parent.process()
                        .map(process -> (Object) process.id().startTicks())
                        .orElse(null),
                parent.process().map(Parent.Harness::bootId).orElse(null));
        return parent;
    }

    private static Parent parent(ResultSet row) throws SQLException {
        String boot = row.getString("boot_id");
        return new Parent(
                new Owner(row.getString("id")),
                row.getString("harness"),
                Optional.ofNullable(row.getString("home")),
                Parent.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                row.getInt("turn"),
                row.getBoolean("fresh"),
                row.getInt("wakes"),
                Rows.time(row, "prompted_at"),
                Rows.time(row, "interrupted_at"),
                Instant.ofEpochMilli(row.getLong("seen_at")),
                boot == null
                        ? Optional.empty()
                        : Optional.of(
                                new Parent.Harness(new ProcessId(row.getLong("pid"), row.getLong("pid_start")), boot)));
    }
}
