package dev.roost.cluster.files;

import dev.roost.cluster.db.SqlArray;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rows of runs and streams. A writer locks the row of its run. */
public final class SharedFileRows {

    private static final SqlConnection.RowReader<StoredStream> STREAM = row -> new StoredStream(
            row.getLong("id"),
            row.getString("run_id"),
            row.getString("name"),
            row.getBoolean("whole"),
            row.getLong("version"),
            row.getLong("cut_at"),
            row.getLong("length"),
            row.getInt("loose"));

    private final SqlConnection handle;

    SharedFileRows(SqlConnection handle) {
        this.handle = handle;
    }

    record StoredStream(
            long id, String run, String name, boolean whole, long version, long cutAt, long length, int unpackedBytes) {

        SharedFile kept() {
            return new SharedFile(new SharedFileName(name), whole, version, cutAt, length);
        }

        StoredStream grown(long length, int loose) {
            return new StoredStream(id, run, name, whole, version, cutAt, length, loose);
        }
    }

    /** Locks these runs for these attempts; returns those without a later attempt. */
    Map<RunId, Integer> lock(Map<RunId, Integer> attempts) {
        var known = latest(attempts.keySet());
        var ahead = new HashMap<RunId, Integer>();
        attempts.forEach((run, attempt) -> {
            if (known.getOrDefault(run, 0) < attempt) ahead.put(run, attempt);
        });
        if (!ahead.isEmpty()) claimWriting(ahead);
        var latest = ahead.isEmpty() ? known : latest(attempts.keySet());
        var held = new HashMap<RunId, Integer>();
        for (var one : latest.entrySet()) {
            if (one.getValue().equals(attempts.get(one.getKey()))) held.put(one.getKey(), one.getValue());
        }
        return held;
    }

    /** Attempts before {@code attempt} can write nothing of the run any more. */
    public static void fence(SqlConnection handle, RunId run, int attempt) {
        new SharedFileRows(handle).claimWriting(Map.of(run, attempt));
    }

    private Map<RunId, Integer> latest(Collection<RunId> runs) {
        var latest = new HashMap<RunId, Integer>();
        handle.select(
                        "SELECT run_id, attempt FROM shelf_run WHERE run_id = ANY (?) ORDER BY run_id FOR UPDATE",
                        texts(runs))
                .list(row -> latest.put(new RunId(row.getString(1)), row.getInt(2)));
        return latest;
    }

    private void claimWriting(Map<RunId, Integer> attempts) {
        handle.batch(
                """
                INSERT INTO shelf_run (run_id, attempt) VALUES (?, ?)
                ON CONFLICT (run_id) DO UPDATE SET attempt = EXCLUDED.attempt
                 WHERE shelf_run.attempt < EXCLUDED.attempt
                """,
                attempts.keySet().stream()
                        .sorted()
                        .map(run -> new Object[] {run.text(), attempts.get(run)})
                        .toList());
    }

    List<StoredStream> streams(Collection<RunId> runs) {
        return handle.select("SELECT * FROM shelf_stream WHERE run_id = ANY (?) ORDER BY name", texts(runs))
                .list(STREAM);
    }

    Optional<StoredStream> stream(RunId run, String name) {
        return handle.select("SELECT * FROM shelf_stream WHERE run_id = ? AND name = ?", run.text(), name)
                .optional(STREAM);
    }

    StoredStream create(RunId run, String name, boolean whole) {
        return handle.select(
                        "INSERT INTO shelf_stream (run_id, name, whole, version) VALUES (?, ?, ?, 1) RETURNING *",
                        run.text(),
                        name,
                        whole)
                .one(STREAM);
    }

    void recordGrowth(Collection<StoredStream> streams) {
        handle.batch(
                "UPDATE shelf_stream SET length = ?, loose = ? WHERE id = ?",
                streams.stream()
                        .map(stream -> new Object[] {stream.length(), stream.unpackedBytes(), stream.id()})
                        .toList());
    }

    void cut(StoredStream stream, long length) {
        handle.execute(
                "UPDATE shelf_stream SET length = ?, cut_at = ?, loose = 0, version = version + 1 WHERE id = ?",
                length,
                length,
                stream.id());
    }

    private static SqlArray texts(Collection<RunId> runs) {
        return SqlArray.texts(runs.stream().map(RunId::text).toList());
    }
}
