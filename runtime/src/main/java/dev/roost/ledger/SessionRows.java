package dev.roost.ledger;

import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.ProcessId;
import dev.roost.model.SessionEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Rows of owner sessions. */
final class SessionRows {

    private SessionRows() {}

    static Optional<OwnerSession> find(SqlConnection handle, Owner owner) {
        return handle.select("SELECT * FROM owner WHERE id = ?", owner.id()).optional(row -> session(row));
    }

    static List<OwnerSession> all(SqlConnection handle) {
        return handle.select("SELECT * FROM owner ORDER BY seen_at DESC").list(row -> session(row));
    }

    /** The session that this harness process reported last. */
    static Optional<OwnerSession> findByHarness(SqlConnection handle, OwnerSession.HarnessProcess process) {
        return handle.select("""
                        SELECT * FROM owner WHERE pid = ? AND pid_start = ? AND boot_id = ? AND turn > 0
                         ORDER BY seen_at DESC LIMIT 1
                        """, process.id().pid(), process.id().startTicks(), process.bootId())
                .optional(row -> session(row));
    }

    static OwnerSession record(SqlConnection handle, String node, SessionReport report, Instant now) {
        var known = find(handle, report.owner())
                .orElseGet(() -> OwnerSession.unknown(report.owner(), report.harness(), now))
                .at(report.home(), report.process());
        var session = save(
                handle, OfferRows.inferState(handle, known, report.event(), now).apply(report.event(), now));
        handle.execute(
                "UPDATE owner SET node = ? WHERE id = ?", node, report.owner().id());
        return session;
    }

    /** The session, if its last report came from this node: only this node can wake it. */
    static Optional<OwnerSession> findLocal(SqlConnection handle, String node, Owner owner) {
        return handle.select("SELECT * FROM owner WHERE id = ? AND node = ?", owner.id(), node)
                .optional(row -> session(row));
    }

    /** Records that Roost began another turn. */
    static void markContinued(SqlConnection handle, Owner owner, Instant now) {
        find(handle, owner).ifPresent(session -> save(handle, session.apply(new SessionEvent.TurnContinued(), now)));
    }

    private static OwnerSession save(SqlConnection handle, OwnerSession session) {
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
                session.owner().id(),
                session.harness(),
                session.home().orElse(null),
                session.state().name().toLowerCase(Locale.ROOT),
                session.turn(),
                session.fresh() ? 1 : 0,
                session.wakes(),
                session.promptedAt().map(Instant::toEpochMilli).orElse(null),
                session.interruptedAt().map(Instant::toEpochMilli).orElse(null),
                session.seenAt().toEpochMilli(),
                session.process().map(process -> (Object) process.id().pid()).orElse(null),
                session.process()
                        .map(process -> (Object) process.id().startTicks())
                        .orElse(null),
                session.process().map(OwnerSession.HarnessProcess::bootId).orElse(null));
        return session;
    }

    private static OwnerSession session(ResultSet row) throws SQLException {
        String boot = row.getString("boot_id");
        return new OwnerSession(
                new Owner(row.getString("id")),
                row.getString("harness"),
                Optional.ofNullable(row.getString("home")),
                OwnerSession.SessionState.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                row.getInt("turn"),
                row.getBoolean("fresh"),
                row.getInt("wakes"),
                RowMappers.time(row, "prompted_at"),
                RowMappers.time(row, "interrupted_at"),
                Instant.ofEpochMilli(row.getLong("seen_at")),
                boot == null
                        ? Optional.empty()
                        : Optional.of(new OwnerSession.HarnessProcess(
                                new ProcessId(row.getLong("pid"), row.getLong("pid_start")), boot)));
    }
}
