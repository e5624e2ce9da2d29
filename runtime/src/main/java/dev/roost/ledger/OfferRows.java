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

/** Offers to owner sessions: all pending notices in one digest, at most once a turn, repeated until acknowledged. */
final class OfferRows {

    private OfferRows() {}

    /** Acknowledges the offers of this turn: the model continued after it got them. */
    static List<Long> markArrived(SqlConnection handle, OwnerSession session, SessionEvent event, Instant now) {
        if (!(event instanceof SessionEvent.ToolsFinished || event instanceof SessionEvent.TurnEnded)) return List.of();
        return handle.select("""
                        UPDATE offer SET acked_at = ?
                         WHERE owner = ? AND turn = ? AND written_at IS NOT NULL AND acked_at IS NULL RETURNING id
                        """, now, session.owner(), session.turn()).list(SqlConnection::number);
    }

    /** The offer that this event gives occasion to, if notices are pending that this turn has not been offered. */
    static Optional<NoticeOffer> offerFor(
            SqlConnection handle,
            OwnerSession session,
            SessionEvent event,
            BiPredicate<OwnerSession, List<NoticeRecord>> mayContinue,
            Instant now) {
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

    /** Includes offers that were never marked as written: the process may have died just after it wrote one. */
    private static final String ANY = "SELECT count(*) FROM offer WHERE owner = ? AND turn = ? AND occasion <> 'start'";

    /** Excludes unwritten offers that were to start a turn: the user's prompt began this turn, not such an offer. */
    private static final String BEGUN_BY_USER =
            ANY + " AND (written_at IS NOT NULL OR occasion NOT IN ('stop', 'wake'))";

    private static final String BEGINNING = ANY + " AND written_at IS NULL AND occasion IN ('stop', 'wake')";

    private static Optional<NoticeOffer> oncePerTurn(
            SqlConnection handle, OwnerSession session, NoticeOffer.Occasion occasion, String which, Instant now) {
        int before = count(handle, which, session, session.turn());
        return before > 0 ? Optional.empty() : make(handle, session, session.turn(), occasion, now);
    }

    private static int count(SqlConnection handle, String which, OwnerSession session, int turn) {
        return handle.select(which, session.owner(), turn).one(SqlConnection::count);
    }

    /**
     * The session's state as {@code event} implies it. A session that works after its turn ended, without a prompt, must have
     * got an offer that started a turn, although the process that wrote the offer died before it could record that.
     */
    static OwnerSession inferState(SqlConnection handle, OwnerSession session, SessionEvent event, Instant now) {
        boolean works = event instanceof SessionEvent.ToolsFinished || event instanceof SessionEvent.TurnEnded;
        return works
                        && session.state() == OwnerSession.SessionState.IDLE
                        && count(handle, BEGINNING, session, session.turn() + 1) > 0
                ? session.apply(new SessionEvent.TurnContinued(), now)
                : session;
    }

    /** Deletes an offer that was not written, because no session took it. */
    static boolean cancel(SqlConnection handle, long id) {
        if (handle.execute("DELETE FROM offer WHERE id = ? AND written_at IS NULL", id) == 0) return false;
        handle.execute("UPDATE notice SET offer = NULL WHERE offer = ?", id);
        return true;
    }

    /** An offer that starts another turn, if {@code mayBegin} allows it. */
    static Optional<NoticeOffer> offerNewTurn(
            SqlConnection handle,
            OwnerSession session,
            NoticeOffer.Occasion occasion,
            BiPredicate<OwnerSession, List<NoticeRecord>> mayBegin,
            Instant now) {
        var pending = undelivered(handle, session.owner(), session.turn());
        if (pending.isEmpty() || !mayBegin.test(session, pending)) return Optional.empty();
        return make(handle, session, session.turn() + 1, occasion, now);
    }

    private static Optional<NoticeOffer> make(
            SqlConnection handle, OwnerSession session, int turn, NoticeOffer.Occasion occasion, Instant now) {
        var pending = undelivered(handle, session.owner(), session.turn());
        if (pending.isEmpty()) return Optional.empty();
        long id = handle.select(
                        "INSERT INTO offer (owner, turn, occasion, created_at) VALUES (?, ?, ?, ?) RETURNING id",
                        session.owner(),
                        turn,
                        occasion.word(),
                        now)
                .one(SqlConnection::number);
        for (var notice : pending) handle.execute("UPDATE notice SET offer = ? WHERE id = ?", id, notice.id());
        return Optional.of(new NoticeOffer(id, session.owner(), turn, occasion, pending));
    }

    /**
     * Pending notices that this turn has not been offered. An unwritten offer at the session's start counts as offered: it
     * may have arrived although the process died before it recorded that. Notices of silent runs are never offered.
     */
    static List<NoticeRecord> undelivered(SqlConnection handle, Owner owner, int turn) {
        return NoticeStore.pending(handle, """
                owner = ? AND NOT EXISTS (SELECT 1 FROM run WHERE run.id = notice.run_id AND run.notify = 'silent')
                  AND NOT EXISTS (SELECT 1 FROM offer WHERE offer.id = notice.offer AND offer.owner = notice.owner
                                     AND offer.turn = ? AND (offer.written_at IS NOT NULL OR offer.occasion = 'start'))
                """, owner, turn);
    }

    /** Records that the harness got the offer. Empty if that is recorded already, or there is no such offer. */
    static Optional<NoticeOffer> markDelivered(SqlConnection handle, long id, Instant now) {
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
