package dev.roost.ledger;

import dev.roost.base.FaultPoints;
import dev.roost.ledger.db.ReadConnections;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.SessionReport;
import dev.roost.ledger.record.SessionUpdate;
import dev.roost.model.EventKind;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.RunId;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/** Parent sessions, and what is put before them. */
public class SessionStore {

    private final WriteContext context;
    private final ReadConnections reader;
    private final NoticeStore notices;

    SessionStore(WriteContext context, ReadConnections reader, NoticeStore notices) {
        this.context = context;
        this.reader = reader;
        this.notices = notices;
    }

    /**
     * Takes in what a harness reports, and says what is now to be put before that session: once a turn, and again in a later
     * turn if it was not seen to arrive. A turn that would end is continued only if {@code mayContinue}.
     */
    public SessionUpdate record(SessionReport report, BiPredicate<OwnerSession, List<NoticeRecord>> mayContinue) {
        return context.writer().write(report.owner(), handle -> {
            var session = SessionRows.record(
                    handle, context.node(), report, context.clock().now());
            for (long offer : OfferRows.markArrived(handle, session, report.event(), context.now())) {
                for (var notice : NoticeStore.pending(handle, "offer = ?", offer))
                    context.event(notice, EventKind.TOLD, "its parent session has heard of it");
                notices.acknowledge(handle, "offer = ?", offer);
            }
            var offer = OfferRows.offerFor(handle, session, report.event(), mayContinue, context.now());
            return new SessionUpdate(session, offer);
        });
    }

    /** A digest with which an idle session is woken, if {@code mayWake}. */
    public Optional<NoticeOffer> wake(Owner owner, BiPredicate<OwnerSession, List<NoticeRecord>> mayWake) {
        return context.writer()
                .write(
                        owner,
                        handle -> SessionRows.findLocal(handle, context.node(), owner)
                                .flatMap(session -> OfferRows.offerNewTurn(
                                        handle, session, NoticeOffer.Occasion.WAKE, mayWake, context.now())));
    }

    /** The harness has been given this offer: from now on it counts as made. */
    public boolean markDelivered(long offer) {
        return context.writer().write(handle -> {
            var written = OfferRows.markDelivered(handle, offer, context.now());
            if (written.isEmpty()) return false;
            var made = written.get();
            context.writer().step(FaultPoints.Step.OFFER);
            if (made.occasion().startsTurn())
                SessionRows.markContinued(handle, made.owner(), context.clock().now());
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

    /** Nobody took this offer, so it does not count; one that was written stays. */
    public boolean cancel(long offer) {
        return context.writer().write(handle -> OfferRows.cancel(handle, offer));
    }

    /** Gives live and unread runs of a session that is over, and its pending notices, to the one that follows it. */
    public List<RunId> transferRuns(Owner from, Owner to) {
        return context.writer().write(Set.of(from.id(), to.id()), List::copyOf, handle -> {
            var runs = handle.select("""
                            SELECT r.id FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                             WHERE r.owner = ? AND (a.ended_at IS NULL OR a.read_at IS NULL)
                            """, from.id()).list(row -> new RunId(SqlConnection.text(row)));
            transfer(handle, runs, to);
            handle.execute("""
                    UPDATE notice SET owner = ? WHERE owner = ? AND pause IS NOT NULL AND acked_at IS NULL
                       AND NOT EXISTS (SELECT 1 FROM notice n WHERE n.owner = ? AND n.pause = notice.pause)
                    """, to.id(), from.id(), to.id());
            return runs;
        });
    }

    /** Gives these runs and their pending notices to another owner. */
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
            handle.execute("UPDATE run SET owner = ? WHERE id = ?", to.id(), id.text());
            handle.execute("UPDATE notice SET owner = ? WHERE run_id = ? AND acked_at IS NULL", to.id(), id.text());
            context.event(id, run.latest().n(), EventKind.ADOPTED, "by %s, from %s".formatted(to, run.owner()));
        }
    }

    public Optional<OwnerSession> find(Owner owner) {
        return reader.with(handle -> SessionRows.find(handle, owner));
    }

    /** The session, if it was last heard of on this node: nobody else can wake it. */
    public Optional<OwnerSession> findLocal(Owner owner) {
        return reader.with(handle -> SessionRows.findLocal(handle, context.node(), owner));
    }

    /** The session that was last heard of in this process. */
    public Optional<OwnerSession> findByHarness(OwnerSession.HarnessProcess process) {
        return reader.with(handle -> SessionRows.findByHarness(handle, process));
    }

    public List<OwnerSession> all() {
        return reader.with(SessionRows::all);
    }

    /** What this owner's session has not been told in its present turn. */
    public List<NoticeRecord> undelivered(Owner owner) {
        return reader.with(handle -> OfferRows.undelivered(
                handle,
                owner,
                SessionRows.find(handle, owner).map(OwnerSession::turn).orElse(0)));
    }
}
