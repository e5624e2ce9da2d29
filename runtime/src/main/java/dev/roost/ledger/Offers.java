package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.ParentEvent;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/** What is put before parent sessions: everything pending in one digest, at most once a turn, until it was seen to arrive. */
final class Offers {

    private Offers() {}

    /** The model went on after it was given these: they have arrived, with all that was in them. */
    static List<Long> arrived(Sql handle, Parent parent, ParentEvent event, long now) {
        if (!(event instanceof ParentEvent.ToolsDone || event instanceof ParentEvent.TurnEnded)) return List.of();
        return handle.select("""
                        UPDATE offer SET acked_at = ?
                         WHERE owner = ? AND turn = ? AND written_at IS NOT NULL AND acked_at IS NULL RETURNING id
                        """, now, parent.owner().id(), parent.turn()).list(Sql::number);
    }

    /** What an event gives occasion to say, if anything is pending that this turn has not been told. */
    static Optional<Offer> on(
            Sql handle, Parent parent, ParentEvent event, BiPredicate<Parent, List<Notice>> mayContinue, long now) {
        return switch (event) {
            case ParentEvent.Started _ -> make(handle, parent, parent.turn(), Offer.Occasion.START, now);
            case ParentEvent.Prompted(var byUser) ->
                onceATurn(handle, parent, Offer.Occasion.PROMPT, byUser ? BEGUN_BY_USER : ANY, now);
            case ParentEvent.ToolsDone _ -> onceATurn(handle, parent, Offer.Occasion.TOOLS, ANY, now);
            case ParentEvent.TurnEnded(var canGoOn) ->
                canGoOn ? begin(handle, parent, Offer.Occasion.STOP, mayContinue, now) : Optional.empty();
            case ParentEvent.Seen _, ParentEvent.Interrupted _, ParentEvent.Continued _, ParentEvent.Ended _ ->
                Optional.empty();
        };
    }

    /** Also what nobody knows to have been written: whoever was to write it may have died just after. */
    private static final String ANY = "SELECT count(*) FROM offer WHERE owner = ? AND turn = ? AND occasion <> 'start'";

    /** What was to begin a turn and was never written has not begun one that a user began. */
    private static final String BEGUN_BY_USER =
            ANY + " AND (written_at IS NOT NULL OR occasion NOT IN ('stop', 'wake'))";

    private static final String BEGINNING = ANY + " AND written_at IS NULL AND occasion IN ('stop', 'wake')";

    private static Optional<Offer> onceATurn(
            Sql handle, Parent parent, Offer.Occasion occasion, String which, long now) {
        int before = count(handle, which, parent, parent.turn());
        return before > 0 ? Optional.empty() : make(handle, parent, parent.turn(), occasion, now);
    }

    private static int count(Sql handle, String which, Parent parent, int turn) {
        return handle.select(which, parent.owner().id(), turn).one(Sql::count);
    }

    /**
     * The session as it is if {@code event} comes from it: one whose turn had ended and that works although nobody asked it
     * to must have been given what keeps a turn from ending, though who gave it did not live to say so.
     */
    static Parent asItMustBe(Sql handle, Parent parent, ParentEvent event, Instant now) {
        boolean works = event instanceof ParentEvent.ToolsDone || event instanceof ParentEvent.TurnEnded;
        return works && parent.state() == Parent.State.IDLE && count(handle, BEGINNING, parent, parent.turn() + 1) > 0
                ? parent.on(new ParentEvent.Continued(), now)
                : parent;
    }

    /** Nobody was there to take it: as if it had never been made. */
    static boolean withdraw(Sql handle, long id) {
        if (handle.execute("DELETE FROM offer WHERE id = ? AND written_at IS NULL", id) == 0) return false;
        handle.execute("UPDATE notice SET offer = NULL WHERE offer = ?", id);
        return true;
    }

    /** With this another turn begins, if {@code mayBegin}. */
    static Optional<Offer> begin(
            Sql handle, Parent parent, Offer.Occasion occasion, BiPredicate<Parent, List<Notice>> mayBegin, long now) {
        var pending = untold(handle, parent.owner(), parent.turn());
        if (pending.isEmpty() || !mayBegin.test(parent, pending)) return Optional.empty();
        return make(handle, parent, parent.turn() + 1, occasion, now);
    }

    private static Optional<Offer> make(Sql handle, Parent parent, int turn, Offer.Occasion occasion, long now) {
        var pending = untold(handle, parent.owner(), parent.turn());
        if (pending.isEmpty()) return Optional.empty();
        long id = handle.select(
                        "INSERT INTO offer (owner, turn, occasion, created_at) VALUES (?, ?, ?, ?) RETURNING id",
                        parent.owner().id(),
                        turn,
                        occasion.word(),
                        now)
                .one(Sql::number);
        for (var notice : pending) handle.execute("UPDATE notice SET offer = ? WHERE id = ?", id, notice.id());
        return Optional.of(new Offer(id, parent.owner(), turn, occasion, pending));
    }

    /**
     * Pending notices that this turn has not been told yet, as far as is known; what its start was given may have arrived
     * though nobody lived to note it. Of a silent run nobody is told.
     */
    static List<Notice> untold(Sql handle, Owner owner, int turn) {
        return Notices.pending(handle, """
                owner = ? AND NOT EXISTS (SELECT 1 FROM run WHERE run.id = notice.run_id AND run.notify = 'silent')
                  AND NOT EXISTS (SELECT 1 FROM offer WHERE offer.id = notice.offer AND offer.owner = notice.owner
                                     AND offer.turn = ? AND (offer.written_at IS NOT NULL OR offer.occasion = 'start'))
                """, owner.id(), turn);
    }

    /** The harness has it: from now on it counts. Empty if that was known, or it was never made. */
    static Optional<Offer> written(Sql handle, long id, long now) {
        int won = handle.execute("UPDATE offer SET written_at = ? WHERE id = ? AND written_at IS NULL", now, id);
        if (won == 0) return Optional.empty();
        return handle.select("SELECT owner, turn, occasion FROM offer WHERE id = ?", id)
                .optional(row -> new Offer(
                        id,
                        new Owner(row.getString("owner")),
                        row.getInt("turn"),
                        Offer.Occasion.of(row.getString("occasion")),
                        Notices.pending(handle, "offer = ?", id)));
    }
}
