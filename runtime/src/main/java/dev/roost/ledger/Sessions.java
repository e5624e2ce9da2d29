package dev.roost.ledger;

import dev.roost.run.EventKind;
import dev.roost.run.Faults;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.RunId;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/** Parent sessions, and what is put before them. */
public class Sessions {

    private final Pen pen;
    private final Reader reader;
    private final Notices notices;

    Sessions(Pen pen, Reader reader, Notices notices) {
        this.pen = pen;
        this.reader = reader;
        this.notices = notices;
    }

    /**
     * Takes in what a harness reports, and says what is now to be put before that session: once a turn, and again in a later
     * turn if it was not seen to arrive. A turn that would end is continued only if {@code mayContinue}.
     */
    public Heard hear(Report report, BiPredicate<Parent, List<Notice>> mayContinue) {
        return pen.writer().write(report.owner(), handle -> {
            var parent = Parents.hear(handle, pen.node(), report, pen.clock().now());
            for (long offer : Offers.arrived(handle, parent, report.event(), pen.now())) {
                for (var notice : Notices.pending(handle, "offer = ?", offer))
                    pen.event(notice, EventKind.TOLD, "its parent session has heard of it");
                notices.acknowledge(handle, "offer = ?", offer);
            }
            var offer = Offers.on(handle, parent, report.event(), mayContinue, pen.now());
            return new Heard(parent, offer);
        });
    }

    /** A digest with which an idle session is woken, if {@code mayWake}. */
    public Optional<Offer> wake(Owner owner, BiPredicate<Parent, List<Notice>> mayWake) {
        return pen.writer()
                .write(
                        owner,
                        handle -> Parents.here(handle, pen.node(), owner)
                                .flatMap(parent ->
                                        Offers.begin(handle, parent, Offer.Occasion.WAKE, mayWake, pen.now())));
    }

    /** The harness has been given this offer: from now on it counts as made. */
    public boolean written(long offer) {
        return pen.writer().write(handle -> {
            var written = Offers.written(handle, offer, pen.now());
            if (written.isEmpty()) return false;
            var made = written.get();
            pen.writer().step(Faults.Step.OFFER);
            if (made.occasion().begins())
                Parents.goesOn(handle, made.owner(), pen.clock().now());
            for (var notice : made.notices()) {
                pen.event(
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
    public boolean withdraw(long offer) {
        return pen.writer().write(handle -> Offers.withdraw(handle, offer));
    }

    /** Gives live and unread runs of a session that is over, and its pending notices, to the one that follows it. */
    public List<RunId> rehome(Owner from, Owner to) {
        return pen.writer().write(Set.of(from.id(), to.id()), List::copyOf, handle -> {
            var runs = handle.select("""
                            SELECT r.id FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                             WHERE r.owner = ? AND (a.ended_at IS NULL OR a.read_at IS NULL)
                            """, from.id()).list(row -> new RunId(Sql.text(row)));
            give(handle, runs, to);
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
        pen.writer().write(keys, _ -> runs, handle -> {
            give(handle, runs, to);
            return runs;
        });
    }

    private void give(Sql handle, List<RunId> runs, Owner to) {
        for (var id : runs) {
            var run = Records.require(handle, id);
            if (run.owner().equals(to)) continue;
            if (!run.status().ended()) run.name().ifPresent(name -> Acceptance.refuseTakenName(handle, name, to));
            handle.execute("UPDATE run SET owner = ? WHERE id = ?", to.id(), id.text());
            handle.execute("UPDATE notice SET owner = ? WHERE run_id = ? AND acked_at IS NULL", to.id(), id.text());
            pen.event(id, run.latest().n(), EventKind.ADOPTED, "by %s, from %s".formatted(to, run.owner()));
        }
    }

    public Optional<Parent> find(Owner owner) {
        return reader.with(handle -> Parents.find(handle, owner));
    }

    /** The session, if it was last heard of on this node: nobody else can wake it. */
    public Optional<Parent> here(Owner owner) {
        return reader.with(handle -> Parents.here(handle, pen.node(), owner));
    }

    /** The session that was last heard of in this process. */
    public Optional<Parent> in(Parent.Harness process) {
        return reader.with(handle -> Parents.in(handle, process));
    }

    public List<Parent> all() {
        return reader.with(Parents::all);
    }

    /** What this owner's session has not been told in its present turn. */
    public List<Notice> untold(Owner owner) {
        return reader.with(handle -> Offers.untold(
                handle, owner, Parents.find(handle, owner).map(Parent::turn).orElse(0)));
    }
}
