package dev.roost.ledger;

import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Pause windows: times in which no daemon attended to the runs. */
public record PauseStore(LedgerContext context, DeliveryStore deliveries) {

    /** Opens an announced pause and returns its id, or the id of the announced pause that is open. */
    public long announce() {
        return context.write(
                handle -> open(handle).orElseGet(() -> insert(handle, PauseWindow.Kind.PLANNED, context.now())));
    }

    private Optional<Long> open(SqlConnection handle) {
        return handle.select("SELECT id FROM pause WHERE ended_at IS NULL AND node = ?", context.node())
                .optional(SqlConnection::number);
    }

    private long insert(SqlConnection handle, PauseWindow.Kind kind, Instant beganAt) {
        return handle.select(
                        "INSERT INTO pause (node, kind, began_at, ended_at) VALUES (?, ?, ?, ?) RETURNING id",
                        context.node(),
                        kind.word(),
                        beganAt,
                        kind == PauseWindow.Kind.PLANNED ? null : beganAt)
                .one(SqlConnection::number);
    }

    /** The announced pause that is not over. */
    public Optional<PauseWindow> announced() {
        return context.read(handle -> open(handle).flatMap(id -> find(handle, id, Optional.empty())));
    }

    /** Adds a remark about what was done for the pause. */
    public void remark(long pause, PauseWindow.PauseRemark remark) {
        context.write(handle -> handle.execute("""
                INSERT INTO pause_remark (pause, n, failed, text)
                SELECT id, (SELECT count(*) + 1 FROM pause_remark WHERE pause = pause.id), ?, ? FROM pause WHERE id = ?
                """, remark.failed() ? 1 : 0, remark.text(), pause));
    }

    /**
     * Records a pause that is over. It takes the place of an announced one. If {@code tell}, each owner of a run that was
     * live when the pause began gets one notice. Empty if the pause is recorded already.
     */
    public Optional<Long> recordPause(PauseWindow.Kind kind, Instant beganAt, Instant endedAt, boolean tell) {
        return context.write(handle -> {
            boolean known = handle.select("""
                                    SELECT count(*) FROM pause
                                     WHERE node = ? AND kind = ? AND (began_at = ? OR (began_at < ? AND ended_at > ?)) AND ended_at IS NOT NULL
                                    """, context.node(), kind.word(), beganAt, beganAt, beganAt)
                            .one(SqlConnection::count)
                    > 0;
            if (known) return Optional.empty();
            long id = open(handle).orElseGet(() -> insert(handle, kind, beganAt));
            handle.execute("""
                    UPDATE pause SET kind = ?, began_at = CASE WHEN began_at < ? THEN began_at ELSE ? END, ended_at = ?
                     WHERE id = ?
                    """, kind.word(), beganAt, beganAt, endedAt, id);
            handle.execute("""
                    INSERT INTO paused (pause, run_id, attempt)
                    SELECT p.id, a.run_id, max(a.n)
                      FROM pause p,
                           (SELECT run_id, n, node, created_at FROM attempt WHERE ended_at IS NULL
                             UNION ALL SELECT run_id, n, node, created_at FROM attempt
                                        WHERE ended_at >= (SELECT began_at FROM pause WHERE id = ?)) a
                     WHERE p.id = ? AND a.created_at <= p.began_at AND a.node IN (p.node, '') GROUP BY p.id, a.run_id
                    """, id, id);
            if (tell) addNotices(handle, id);
            return Optional.of(id);
        });
    }

    private void addNotices(SqlConnection handle, long pause) {
        var owners = handle.select("""
                        SELECT DISTINCT r.owner FROM paused p JOIN run r ON r.id = p.run_id
                         WHERE p.pause = ? AND r.notify <> 'silent'
                        """, pause).list(row -> new Owner(SqlConnection.text(row)));
        for (var owner : owners) {
            long id = handle.select("""
                            INSERT INTO notice (pause, kind, sequence, owner, created_at) VALUES (?, 'pause', 1, ?, ?)
                            RETURNING id
                            """, pause, owner, context.now()).one(SqlConnection::number);
            deliveries.add(handle, id, Notify.DONE);
            context.writer().noticed(owner);
        }
    }

    public Optional<PauseWindow> find(long pause) {
        return context.read(handle -> find(handle, pause, Optional.empty()));
    }

    /** The time of this node's last event. */
    public Optional<Instant> lastEvent() {
        return context.read(
                handle -> handle.select("SELECT at FROM event WHERE node = ? ORDER BY seq DESC LIMIT 1", context.node())
                        .optional(SqlConnection::number)
                        .map(Instant::ofEpochMilli));
    }

    /** Pauses that were not over at {@code since}, newest first, with the runs of {@code owner} or of all owners. */
    public List<PauseWindow> since(Instant since, Optional<Owner> owner) {
        return context.read(handle -> handle
                .select("SELECT id FROM pause WHERE ended_at IS NULL OR ended_at >= ? ORDER BY began_at DESC", since)
                .list(SqlConnection::number)
                .stream()
                .flatMap(id -> find(handle, id, owner).stream())
                .toList());
    }

    static Optional<PauseWindow> find(SqlConnection handle, long id, Optional<Owner> owner) {
        return handle.select("SELECT id, kind, began_at, ended_at FROM pause WHERE id = ?", id)
                .optional(row -> pause(row, remarks(handle, id, owner), affectedRuns(handle, id, owner)));
    }

    private static PauseWindow pause(
            ResultSet row, List<PauseWindow.PauseRemark> remarks, List<PauseWindow.AffectedRun> runs)
            throws SQLException {
        return new PauseWindow(
                row.getLong("id"),
                PauseWindow.Kind.of(row.getString("kind")),
                Instant.ofEpochMilli(row.getLong("began_at")),
                RowMappers.time(row, "ended_at"),
                remarks,
                runs);
    }

    /** The pause's remarks, without those that name a run of another owner. */
    private static List<PauseWindow.PauseRemark> remarks(SqlConnection handle, long id, Optional<Owner> owner) {
        return handle.select("""
                        SELECT text, failed FROM pause_remark WHERE pause = ? AND NOT EXISTS
                            (SELECT 1 FROM run WHERE owner <> ? AND pause_remark.text LIKE '%' || run.id || '%') ORDER BY n
                        """, id, owner)
                .list(row -> new PauseWindow.PauseRemark(row.getString("text"), row.getBoolean("failed")));
    }

    private static List<PauseWindow.AffectedRun> affectedRuns(SqlConnection handle, long id, Optional<Owner> owner) {
        return handle.select("""
                        SELECT p.run_id, p.attempt FROM paused p JOIN run r ON r.id = p.run_id
                         WHERE p.pause = ? AND r.owner = coalesce(?, r.owner) ORDER BY p.run_id
                        """, id, owner).list(row -> {
            var run = RunStore.require(handle, new RunId(row.getString("run_id")));
            var attempts = RunStore.attempts(handle, run.id());
            return new PauseWindow.AffectedRun(run, attempts.get(row.getInt("attempt") - 1));
        });
    }
}
