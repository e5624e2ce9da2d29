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

/** Owner sessions, and the notices offered to them. */
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
     * Records a harness's report and returns the offer for that session, if there is one: once a turn, and again in a later
     * turn if it was not acknowledged. An ending turn is continued only if {@code mayContinue} allows it.
     */
    public SessionUpdate record(SessionReport report, BiPredicate<OwnerSession, List<NoticeRecord>> mayContinue) {
        return context.writer().write(report.owner(), handle -> {
            var session = SessionRows.record(
                    handle, context.node(), report, context.clock().now());
            for (long offer : OfferRows.markArrived(handle, session, report.event(), context.now())) {
                for (var notice : NoticeStore.pending(handle, "offer = ?", offer))
                    context.event(notice, EventKind.TOLD, "its owner session acknowledged it");
                notices.acknowledge(handle, "offer = ?", offer);
            }
            var offer = OfferRows.offerFor(handle, session, report.event(), mayContinue, context.now());
            return new SessionUpdate(session, offer);
        });
    }

    /** An offer that wakes an idle session, if {@code mayWake} allows it. */
    public Optional<NoticeOffer> wake(Owner owner, BiPredicate<OwnerSession, List<NoticeRecord>> mayWake) {
        return context.writer()
                .write(
                        owner,
                        handle -> SessionRows.findLocal(handle, context.node(), owner)
                                .flatMap(session -> OfferRows.offerNewTurn(
                                        handle, session, NoticeOffer.Occasion.WAKE, mayWake, context.now())));
    }

    /** Records that the harness got this offer. */
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

    /** Deletes an offer that no session took; an offer that was written stays. */
    public boolean cancel(long offer) {
        return context.writer().write(handle -> OfferRows.cancel(handle, offer));
    }

    /** Moves the live and unread runs of an ended session, and its pending notices, to its successor. */
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
            handle.execute("UPDATE run SET owner = ? WHERE id = ?", to.id(), id.text());
            handle.execute("UPDATE notice SET owner = ? WHERE run_id = ? AND acked_at IS NULL", to.id(), id.text());
            context.event(id, run.latest().n(), EventKind.ADOPTED, "by %s, from %s".formatted(to, run.owner()));
        }
    }

    public Optional<OwnerSession> find(Owner owner) {
        return reader.with(handle -> SessionRows.find(handle, owner));
    }

    /** The session, if its last report came from this node: only this node can wake it. */
    public Optional<OwnerSession> findLocal(Owner owner) {
        return reader.with(handle -> SessionRows.findLocal(handle, context.node(), owner));
    }

    /** The session that this harness process reported last. */
    public Optional<OwnerSession> findByHarness(OwnerSession.HarnessProcess process) {
        return reader.with(handle -> SessionRows.findByHarness(handle, process));
    }

    public List<OwnerSession> all() {
        return reader.with(SessionRows::all);
    }

    /** Pending notices that the owner's session has not been offered in its current turn. */
    public List<NoticeRecord> undelivered(Owner owner) {
        return reader.with(handle -> OfferRows.undelivered(
                handle,
                owner,
                SessionRows.find(handle, owner).map(OwnerSession::turn).orElse(0)));
    }
}
