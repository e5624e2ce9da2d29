package dev.roost.ledger;

import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.SessionEvent;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/** What is put before parent sessions: everything pending in one digest, at most once a turn, until it was seen to arrive. */
final class OfferRows {

    private OfferRows() {}

    /** The model went on after it was given these: they have arrived, with all that was in them. */
    static List<Long> markArrived(SqlConnection handle, OwnerSession session, SessionEvent event, long now) {
        if (!(event instanceof SessionEvent.ToolsFinished || event instanceof SessionEvent.TurnEnded)) return List.of();
        return handle.select("""
                        UPDATE offer SET acked_at = ?
                         WHERE owner = ? AND turn = ? AND written_at IS NOT NULL AND acked_at IS NULL RETURNING id
                        """, now, session.owner().id(), session.turn()).list(SqlConnection::number);
    }

    /** What an event gives occasion to say, if anything is pending that this turn has not been told. */
    static Optional<NoticeOffer> offerFor(
            SqlConnection handle,
            OwnerSession session,
            SessionEvent event,
            BiPredicate<OwnerSession, List<NoticeRecord>> mayContinue,
            long now) {
        return switch (event) {
            case SessionEvent.SessionStarted _ ->
                make(handle, session, session.turn(), NoticeOffer.Occasion.START, now);
            case SessionEvent.PromptSubmitted(var byUser) ->
                oncePerTurn(handle, session, NoticeOffer.Occasion.PROMPT, byUser ? BEGUN_BY_USER : ANY, now);
            case SessionEvent.ToolsFinished _ -> oncePerTurn(handle, session, NoticeOffer.Occasion.TOOLS, ANY, now);
            case SessionEvent.TurnEnded(var canGoOn) ->
                canGoOn ? offerNewTurn(handle, session, NoticeOffer.Occasion.STOP, mayContinue, now) : Optional.empty();
            case SessionEvent.SessionSeen _,
                    SessionEvent.TurnInterrupted _,
                    SessionEvent.TurnContinued _,
                    SessionEvent.SessionEnded _ -> Optional.empty();
        };
    }

    /** Also what nobody knows to have been written: whoever was to write it may have died just after. */
    private static final String ANY = "SELECT count(*) FROM offer WHERE owner = ? AND turn = ? AND occasion <> 'start'";

    /** What was to begin a turn and was never written has not begun one that a user began. */
    private static final String BEGUN_BY_USER =
            ANY + " AND (written_at IS NOT NULL OR occasion NOT IN ('stop', 'wake'))";

    private static final String BEGINNING = ANY + " AND written_at IS NULL AND occasion IN ('stop', 'wake')";

    private static Optional<NoticeOffer> oncePerTurn(
            SqlConnection handle, OwnerSession session, NoticeOffer.Occasion occasion, String which, long now) {
        int before = count(handle, which, session, session.turn());
        return before > 0 ? Optional.empty() : make(handle, session, session.turn(), occasion, now);
    }

    private static int count(SqlConnection handle, String which, OwnerSession session, int turn) {
        return handle.select(which, session.owner().id(), turn).one(SqlConnection::count);
    }

    /**
     * The session as it is if {@code event} comes from it: one whose turn had ended and that works although nobody asked it
     * to must have been given what keeps a turn from ending, though who gave it did not live to say so.
     */
    static OwnerSession inferState(SqlConnection handle, OwnerSession session, SessionEvent event, Instant now) {
        boolean works = event instanceof SessionEvent.ToolsFinished || event instanceof SessionEvent.TurnEnded;
        return works
                        && session.state() == OwnerSession.SessionState.IDLE
                        && count(handle, BEGINNING, session, session.turn() + 1) > 0
                ? session.apply(new SessionEvent.TurnContinued(), now)
                : session;
    }

    /** Nobody was there to take it: as if it had never been made. */
    static boolean cancel(SqlConnection handle, long id) {
        if (handle.execute("DELETE FROM offer WHERE id = ? AND written_at IS NULL", id) == 0) return false;
        handle.execute("UPDATE notice SET offer = NULL WHERE offer = ?", id);
        return true;
    }

    /** With this another turn begins, if {@code mayBegin}. */
    static Optional<NoticeOffer> offerNewTurn(
            SqlConnection handle,
            OwnerSession session,
            NoticeOffer.Occasion occasion,
            BiPredicate<OwnerSession, List<NoticeRecord>> mayBegin,
            long now) {
        var pending = undelivered(handle, session.owner(), session.turn());
        if (pending.isEmpty() || !mayBegin.test(session, pending)) return Optional.empty();
        return make(handle, session, session.turn() + 1, occasion, now);
    }

    private static Optional<NoticeOffer> make(
            SqlConnection handle, OwnerSession session, int turn, NoticeOffer.Occasion occasion, long now) {
        var pending = undelivered(handle, session.owner(), session.turn());
        if (pending.isEmpty()) return Optional.empty();
        long id = handle.select(
                        "INSERT INTO offer (owner, turn, occasion, created_at) VALUES (?, ?, ?, ?) RETURNING id",
                        session.owner().id(),
                        turn,
                        occasion.word(),
                        now)
                .one(SqlConnection::number);
        for (var notice : pending) handle.execute("UPDATE notice SET offer = ? WHERE id = ?", id, notice.id());
        return Optional.of(new NoticeOffer(id, session.owner(), turn, occasion, pending));
    }

    /**
     * Pending notices that this turn has not been told yet, as far as is known; what its start was given may have arrived
     * though nobody lived to note it. Of a silent run nobody is told.
     */
    static List<NoticeRecord> undelivered(SqlConnection handle, Owner owner, int turn) {
        return NoticeStore.pending(handle, """
                owner = ? AND NOT EXISTS (SELECT 1 FROM run WHERE run.id = notice.run_id AND run.notify = 'silent')
                  AND NOT EXISTS (SELECT 1 FROM offer WHERE offer.id = notice.offer AND offer.owner = notice.owner
                                     AND offer.turn = ? AND (offer.written_at IS NOT NULL OR offer.occasion = 'start'))
                """, owner.id(), turn);
    }

    /** The harness has it: from now on it counts. Empty if that was known, or it was never made. */
    static Optional<NoticeOffer> markDelivered(SqlConnection handle, long id, long now) {
        int won = handle.execute("UPDATE offer SET written_at = ? WHERE id = ? AND written_at IS NULL", now, id);
        if (won == 0) return Optional.empty();
        return handle.select("SELECT owner, turn, occasion FROM offer WHERE id = ?", id)
                .optional(row -> new NoticeOffer(
                        id,
                        new Owner(row.getString("owner")),
                        row.getInt("turn"),
                        NoticeOffer.Occasion.of(row.getString("occasion")),
                        NoticeStore.pending(handle, "offer = ?", id)));
    }
}
