package dev.roost.cluster;

import dev.roost.ledger.Sql;
import dev.roost.run.RunId;
import dev.roost.shelf.Kept;
import dev.roost.shelf.ShelfName;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which runs and streams the shelf has. A run's row is locked by whoever writes about it. */
final class ShelfRows {

    private static final Sql.Reading<Stream> STREAM = row -> new Stream(
            row.getLong("id"),
            row.getString("run_id"),
            row.getString("name"),
            row.getBoolean("whole"),
            row.getLong("version"),
            row.getLong("cut_at"),
            row.getLong("length"),
            row.getInt("loose"));

    private final Sql handle;

    ShelfRows(Sql handle) {
        this.handle = handle;
    }

    record Stream(long id, String run, String name, boolean whole, long version, long cutAt, long length, int loose) {

        Kept kept() {
            return new Kept(new ShelfName(name), whole, version, cutAt, length);
        }

        Stream grown(long length, int loose) {
            return new Stream(id, run, name, whole, version, cutAt, length, loose);
        }
    }

    /** Locks these runs for these attempts; answers those of which no later attempt was here. */
    Map<RunId, Integer> lock(Map<RunId, Integer> attempts) {
        var known = latest(attempts.keySet());
        var ahead = new HashMap<RunId, Integer>();
        attempts.forEach((run, attempt) -> {
            if (known.getOrDefault(run, 0) < attempt) ahead.put(run, attempt);
        });
        if (!ahead.isEmpty()) take(ahead);
        var latest = ahead.isEmpty() ? known : latest(attempts.keySet());
        var held = new HashMap<RunId, Integer>();
        for (var one : latest.entrySet()) {
            if (one.getValue().equals(attempts.get(one.getKey()))) held.put(one.getKey(), one.getValue());
        }
        return held;
    }

    /** What comes before {@code attempt} writes nothing of the run any more. */
    static void fence(Sql handle, RunId run, int attempt) {
        new ShelfRows(handle).take(Map.of(run, attempt));
    }

    private Map<RunId, Integer> latest(Collection<RunId> runs) {
        var latest = new HashMap<RunId, Integer>();
        handle.select(
                        "SELECT run_id, attempt FROM shelf_run WHERE run_id = ANY (?) ORDER BY run_id FOR UPDATE",
                        texts(runs))
                .list(row -> latest.put(new RunId(row.getString(1)), row.getInt(2)));
        return latest;
    }

    private void take(Map<RunId, Integer> attempts) {
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

    List<Stream> streams(Collection<RunId> runs) {
        return handle.select("SELECT * FROM shelf_stream WHERE run_id = ANY (?) ORDER BY name", texts(runs))
                .list(STREAM);
    }

    Optional<Stream> stream(RunId run, String name) {
        return handle.select("SELECT * FROM shelf_stream WHERE run_id = ? AND name = ?", run.text(), name)
                .optional(STREAM);
    }

    Stream create(RunId run, String name, boolean whole) {
        return handle.select(
                        "INSERT INTO shelf_stream (run_id, name, whole, version) VALUES (?, ?, ?, 1) RETURNING *",
                        run.text(),
                        name,
                        whole)
                .one(STREAM);
    }

    void grew(Collection<Stream> streams) {
        handle.batch(
                "UPDATE shelf_stream SET length = ?, loose = ? WHERE id = ?",
                streams.stream()
                        .map(stream -> new Object[] {stream.length(), stream.loose(), stream.id()})
                        .toList());
    }

    void cut(Stream stream, long length) {
        handle.execute(
                "UPDATE shelf_stream SET length = ?, cut_at = ?, loose = 0, version = version + 1 WHERE id = ?",
                length,
                length,
                stream.id());
    }

    private static Many texts(Collection<RunId> runs) {
        return Many.texts(runs.stream().map(RunId::text).toList());
    }
}
