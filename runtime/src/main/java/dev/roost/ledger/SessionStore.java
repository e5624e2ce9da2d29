package dev.roost.ledger;

import dev.roost.base.FaultPoints;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.SessionReport;
import dev.roost.ledger.record.SessionUpdate;
import dev.roost.model.EventKind;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.model.SessionEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/** Owner sessions, and the notices offered to them. */
public class SessionStore {

    private final LedgerContext context;
    private final NoticeStore notices;

    SessionStore(LedgerContext context, NoticeStore notices) {
        this.context = context;
        this.notices = notices;
    }

    /**
     * Records a harness's report and returns the offer for that session, if there is one: once a turn, and again in a later
     * turn if it was not acknowledged. An ending turn is continued only if {@code mayContinue} allows it.
     */
    public SessionUpdate record(SessionReport report, BiPredicate<OwnerSession, List<NoticeRecord>> mayContinue) {
        return context.writer().write(report.owner(), handle -> {
            var session = save(handle, report);
            for (long offer : OfferRows.markArrived(handle, session, report.event(), context.now())) {
                for (var notice : NoticeStore.pending(handle, "offer = ?", offer))
                    context.event(notice, EventKind.TOLD, "its owner session acknowledged it");
                notices.acknowledge(handle, "offer = ?", offer);
            }
            var offer = OfferRows.offerFor(handle, session, report.event(), mayContinue, context.now());
            return new SessionUpdate(session, offer);
        });
    }

    private OwnerSession save(SqlConnection handle, SessionReport report) {
        var now = context.now();
        var known = find(handle, report.owner())
                .orElseGet(() -> OwnerSession.unknown(report.owner(), report.harness(), now))
                .at(report.home(), report.process());
        var session = save(
                handle, OfferRows.inferState(handle, known, report.event(), now).apply(report.event(), now));
        handle.execute("UPDATE owner SET node = ? WHERE id = ?", context.node(), report.owner());
        return session;
    }

    /** An offer that wakes an idle session, if {@code mayWake} allows it. */
    public Optional<NoticeOffer> wake(Owner owner, BiPredicate<OwnerSession, List<NoticeRecord>> mayWake) {
        return context.writer()
                .write(
                        owner,
                        handle -> findLocal(handle, owner)
                                .flatMap(session -> OfferRows.offerNewTurn(
                                        handle, session, NoticeOffer.Occasion.WAKE, mayWake, context.now())));
    }

    /** Records that the harness got this offer. */
    public boolean markDelivered(long offer) {
        return context.write(handle -> {
            var written = OfferRows.markDelivered(handle, offer, context.now());
            if (written.isEmpty()) return false;
            var made = written.get();
            context.writer().step(FaultPoints.Step.OFFER);
            if (made.occasion().startsTurn())
                find(handle, made.owner())
                        .ifPresent(session ->
                                save(handle, session.apply(new SessionEvent.TurnContinued(), context.now())));
            for (var notice : made.notices()) {
                context.event(
                        notice,
                        EventKind.OFFERED,
                        "%s to %s (%s)"
                                .formatted(
                                        made.nonce(),
                                        made.owner(),
                                        made.occasion().word()));
            }
            return true;
        });
    }

    /** Deletes an offer that no session took; an offer that was written stays. */
    public boolean cancel(long offer) {
        return context.write(handle -> OfferRows.cancel(handle, offer));
    }

    /** Moves the live and unread runs of an ended session, and its pending notices, to its successor. */
    public List<RunId> transferRuns(Owner from, Owner to) {
        return context.writer().write(Set.of(from.id(), to.id()), List::copyOf, handle -> {
            var runs = handle.select("""
                            SELECT r.id FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                             WHERE r.owner = ? AND (a.ended_at IS NULL OR a.read_at IS NULL)
                            """, from).list(row -> new RunId(SqlConnection.text(row)));
            transfer(handle, runs, to);
            handle.execute("""
                    UPDATE notice SET owner = ? WHERE owner = ? AND pause IS NOT NULL AND acked_at IS NULL
                       AND NOT EXISTS (SELECT 1 FROM notice n WHERE n.owner = ? AND n.pause = notice.pause)
                    """, to, from, to);
            return runs;
        });
    }

    /** Moves these runs and their pending notices to another owner. */
    public void adopt(List<RunId> runs, Owner to) {
        var keys = new HashSet<>(Set.of(to.id()));
        runs.forEach(run -> keys.add(run.text()));
        context.writer().write(keys, _ -> runs, handle -> {
            transfer(handle, runs, to);
            return runs;
        });
    }

    private void transfer(SqlConnection handle, List<RunId> runs, Owner to) {
        for (var id : runs) {
            var run = RunStore.require(handle, id);
            if (run.owner().equals(to)) continue;
            if (!run.status().ended()) run.name().ifPresent(name -> SubmissionWrites.refuseTakenName(handle, name, to));
            handle.execute("UPDATE run SET owner = ? WHERE id = ?", to, id);
            handle.execute("UPDATE notice SET owner = ? WHERE run_id = ? AND acked_at IS NULL", to, id);
            context.event(id, run.latest().n(), EventKind.ADOPTED, "by %s, from %s".formatted(to, run.owner()));
        }
    }

    public Optional<OwnerSession> find(Owner owner) {
        return context.read(handle -> find(handle, owner));
    }

    private static Optional<OwnerSession> find(SqlConnection handle, Owner owner) {
        return handle.select("SELECT * FROM owner WHERE id = ?", owner).optional(row -> session(row));
    }

    /** The session, if its last report came from this node: only this node can wake it. */
    public Optional<OwnerSession> findLocal(Owner owner) {
        return context.read(handle -> findLocal(handle, owner));
    }

    private Optional<OwnerSession> findLocal(SqlConnection handle, Owner owner) {
        return handle.select("SELECT * FROM owner WHERE id = ? AND node = ?", owner, context.node())
                .optional(row -> session(row));
    }

    /** The session that this harness process reported last. */
    public Optional<OwnerSession> findByHarness(OwnerSession.HarnessProcess process) {
        return context.read(
                handle -> handle.select("""
                        SELECT * FROM owner WHERE pid = ? AND pid_start = ? AND boot_id = ? AND turn > 0
                         ORDER BY seen_at DESC LIMIT 1
                        """, process.id().pid(), process.id().startTicks(), process.bootId())
                        .optional(row -> session(row)));
    }

    public List<OwnerSession> all() {
        return context.read(handle ->
                handle.select("SELECT * FROM owner ORDER BY seen_at DESC").list(row -> session(row)));
    }

    /** Pending notices that the owner's session has not been offered in its current turn. */
    public List<NoticeRecord> undelivered(Owner owner) {
        return context.read(handle -> OfferRows.undelivered(
                handle, owner, find(handle, owner).map(OwnerSession::turn).orElse(0)));
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
                session.owner(),
                session.harness(),
                session.home(),
                session.state().name().toLowerCase(Locale.ROOT),
                session.turn(),
                session.fresh() ? 1 : 0,
                session.wakes(),
                session.promptedAt(),
                session.interruptedAt(),
                session.seenAt(),
                session.process().map(process -> process.id().pid()),
                session.process().map(process -> process.id().startTicks()),
                session.process().map(OwnerSession.HarnessProcess::bootId));
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
