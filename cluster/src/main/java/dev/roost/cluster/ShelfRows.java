package dev.roost.cluster;

import dev.roost.run.RunId;
import dev.roost.shelf.Kept;
import dev.roost.shelf.ShelfName;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;

/** Which runs and streams the shelf has. A run's row is locked by whoever writes about it. */
final class ShelfRows {

    private static final RowMapper<Stream> STREAM = (row, _) -> new Stream(
            row.getLong("id"),
            row.getString("run_id"),
            row.getString("name"),
            row.getBoolean("whole"),
            row.getLong("version"),
            row.getLong("cut_at"),
            row.getLong("length"),
            row.getInt("loose"));

    private final Handle handle;

    ShelfRows(Handle handle) {
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
    static void fence(Handle handle, RunId run, int attempt) {
        new ShelfRows(handle).take(Map.of(run, attempt));
    }

    private Map<RunId, Integer> latest(Collection<RunId> runs) {
        return handle.createQuery(
                        "SELECT run_id, attempt FROM shelf_run WHERE run_id = ANY(:runs) ORDER BY run_id FOR UPDATE")
                .bindArray("runs", String.class, texts(runs))
                .reduceRows(new HashMap<>(), (all, row) -> {
                    all.put(new RunId(row.getColumn("run_id", String.class)), row.getColumn("attempt", Integer.class));
                    return all;
                });
    }

    private void take(Map<RunId, Integer> attempts) {
        var batch = handle.prepareBatch("""
                INSERT INTO shelf_run (run_id, attempt) VALUES (:run, :attempt)
                ON CONFLICT (run_id) DO UPDATE SET attempt = EXCLUDED.attempt
                 WHERE shelf_run.attempt < EXCLUDED.attempt
                """);
        attempts.keySet().stream()
                .sorted()
                .forEach(run -> batch.bind("run", run.text())
                        .bind("attempt", attempts.get(run))
                        .add());
        batch.execute();
    }

    List<Stream> streams(Collection<RunId> runs) {
        return handle.createQuery("SELECT * FROM shelf_stream WHERE run_id = ANY(:runs) ORDER BY name")
                .bindArray("runs", String.class, texts(runs))
                .map(STREAM)
                .list();
    }

    Optional<Stream> stream(RunId run, String name) {
        return handle.createQuery("SELECT * FROM shelf_stream WHERE run_id = :run AND name = :name")
                .bind("run", run.text())
                .bind("name", name)
                .map(STREAM)
                .findOne();
    }

    Stream create(RunId run, String name, boolean whole) {
        return handle.createQuery("""
                INSERT INTO shelf_stream (run_id, name, whole, version) VALUES (:run, :name, :whole, 1) RETURNING *
                """)
                .bind("run", run.text())
                .bind("name", name)
                .bind("whole", whole)
                .map(STREAM)
                .one();
    }

    void grew(Collection<Stream> streams) {
        if (streams.isEmpty()) return;
        var batch = handle.prepareBatch("UPDATE shelf_stream SET length = :length, loose = :loose WHERE id = :id");
        for (var stream : streams) {
            batch.bind("length", stream.length())
                    .bind("loose", stream.loose())
                    .bind("id", stream.id())
                    .add();
        }
        batch.execute();
    }

    void cut(Stream stream, long length) {
        handle.createUpdate("""
                UPDATE shelf_stream SET length = :length, cut_at = :length, loose = 0, version = version + 1 WHERE id = :id
                """).bind("length", length).bind("id", stream.id()).execute();
    }

    private static List<String> texts(Collection<RunId> runs) {
        return runs.stream().map(RunId::text).toList();
    }
}
