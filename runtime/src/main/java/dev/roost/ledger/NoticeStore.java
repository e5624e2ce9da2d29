package dev.roost.ledger;

import dev.roost.base.FaultPoints;
import dev.roost.ledger.db.LedgerDatabase;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.NoticeHistory;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.EventKind;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Notices to owners, pending until they are acknowledged. */
public record NoticeStore(LedgerContext context, DeliveryStore deliveries) {

    /** Pending notices, oldest first. */
    public List<NoticeRecord> pending(Optional<Owner> owner) {
        return context.read(handle -> pending(handle, context.database(), owner));
    }

    /** All notices about this run. */
    public List<NoticeHistory> of(RunId run) {
        return context.read(handle -> handle.select(
                        "SELECT id, attempt, kind, created_at, acked_at FROM notice WHERE run_id = ? ORDER BY id", run)
                .list(row -> new NoticeHistory(
                        row.getLong("id"),
                        row.getInt("attempt"),
                        row.getString("kind"),
                        Instant.ofEpochMilli(row.getLong("created_at")),
                        RowMappers.time(row, "acked_at"))));
    }

    /** Acknowledges pending notices of {@code owner}, or of all owners if empty; returns those that were pending. */
    public List<Long> acknowledge(List<Long> notices, Optional<Owner> owner) {
        return context.write(handle -> {
            var acknowledged = new ArrayList<Long>();
            for (long id : notices) {
                acknowledged.addAll(acknowledge(handle, "id = ? AND owner = coalesce(?, owner)", id, owner));
            }
            return acknowledged;
        });
    }

    /** Records that the owner read this end: clears {@code unread} and acknowledges its notice. */
    public boolean markRead(RunId run, int attempt) {
        return context.write(run, handle -> {
            int first = handle.execute("""
                    UPDATE attempt SET read_at = ?
                     WHERE run_id = ? AND n = ? AND ended_at IS NOT NULL AND read_at IS NULL
                    """, context.now(), run, attempt);
            if (first == 0) return false;
            acknowledge(handle, "run_id = ? AND attempt = ?", run, attempt);
            context.event(run, attempt, EventKind.READ, "its owner read the end");
            return true;
        });
    }

    /** Adds a notice; part of the write that causes it. */
    void write(SqlConnection handle, RunRecord run, String kind) {
        context.writer().noticed(run.owner());
        long id = handle.select(
                        """
                        INSERT INTO notice (run_id, attempt, kind, sequence, owner, created_at)
                        SELECT ?, ?, ?, count(*) + 1, ?, ? FROM notice WHERE run_id = ? AND attempt = ? AND kind = ?
                        RETURNING id
                        """,
                        run.id(),
                        run.latest().n(),
                        kind,
                        run.owner(),
                        context.now(),
                        run.id(),
                        run.latest().n(),
                        kind)
                .one(SqlConnection::number);
        deliveries.add(handle, id, run.notifyMode());
    }

    /** Writes a notice of a change, if the run's owner wants those; it replaces an earlier one that is pending. */
    RunRecord changed(SqlConnection handle, RunId run) {
        var now = RunStore.require(handle, run);
        if (now.notifyMode() != Notify.CHANGES) return now;
        retractPending(handle, run, "changed");
        write(handle, now, "changed");
        return now;
    }

    /** Acknowledges pending notices of this kind, which are obsolete. */
    void retractPending(SqlConnection handle, RunId run, String kind) {
        acknowledge(handle, "run_id = ? AND kind = ?", run, kind);
    }

    /** Acknowledges the pending notices for which {@code condition} holds, and returns them. */
    List<Long> acknowledge(SqlConnection handle, String condition, @Nullable Object... values) {
        record Row(long id, Optional<String> run, Instant since) {}
        var all = new ArrayList<@Nullable Object>();
        all.add(context.now());
        all.addAll(Arrays.asList(values));
        var rows = handle.select(
                        "UPDATE notice SET acked_at = ? WHERE acked_at IS NULL AND " + condition
                                + " RETURNING id, run_id, created_at",
                        all.toArray())
                .list(row -> new Row(
                        row.getLong("id"),
                        Optional.ofNullable(row.getString("run_id")),
                        Instant.ofEpochMilli(row.getLong("created_at"))));
        if (!rows.isEmpty()) context.writer().step(FaultPoints.Step.ACKNOWLEDGE);
        for (var row : rows) row.run.ifPresent(run -> reportAckDelay(new RunId(run), row.id, row.since));
        return rows.stream().map(Row::id).toList();
    }

    /** Reports how long the notice was pending. */
    private void reportAckDelay(RunId run, long notice, Instant since) {
        var waited = Duration.between(since, context.now());
        context.writer()
                .onDurable(metrics -> metrics.acknowledged(run, notice, waited.isNegative() ? Duration.ZERO : waited));
    }

    private static List<NoticeRecord> pending(SqlConnection handle, LedgerDatabase database, Optional<Owner> owner) {
        // for all owners: without the hint, SQLite reads every notice by its id, which is already the sort order
        return owner.map(one -> pending(handle, "owner = ?", one))
                .orElseGet(() -> from(
                        handle, "notice%s WHERE acked_at IS NULL".formatted(database.indexHint("notice_pending"))));
    }

    /** Pending notices for which {@code condition} holds, oldest first. */
    static List<NoticeRecord> pending(SqlConnection handle, String condition, Object... values) {
        return where(handle, "acked_at IS NULL AND " + condition, values);
    }

    /** Notices for which {@code condition} holds, oldest first. */
    static List<NoticeRecord> where(SqlConnection handle, String condition, Object... values) {
        return from(handle, "notice WHERE " + condition, values);
    }

    private static List<NoticeRecord> from(SqlConnection handle, String which, Object... values) {
        return handle.select(
                        "SELECT id, kind, sequence, owner, created_at, run_id, attempt, pause FROM " + which
                                + " ORDER BY id",
                        values)
                .list(row -> notice(handle, row));
    }

    private static NoticeRecord notice(SqlConnection handle, ResultSet row) throws SQLException {
        long id = row.getLong("id");
        var kind = row.getString("kind");
        int sequence = row.getInt("sequence");
        var owner = new Owner(row.getString("owner"));
        var at = Instant.ofEpochMilli(row.getLong("created_at"));
        if (kind.equals("pause")) {
            var pause = PauseStore.find(handle, row.getLong("pause"), Optional.of(owner));
            return new NoticeRecord.PauseNotice(id, owner, at, pause.orElseThrow());
        }
        var run = RunStore.require(handle, new RunId(row.getString("run_id")));
        var attempts = RunStore.attempts(handle, run.id());
        var attempt = attempts.get(row.getInt("attempt") - 1);
        var before = attempts.stream()
                .filter(one -> one.turn() == attempt.turn() && one.n() < attempt.n())
                .toList();
        return new NoticeRecord.RunNotice(id, kind, sequence, owner, at, run, attempt, before);
    }
}
