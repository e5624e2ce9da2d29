package dev.roost.cluster.files;

import dev.roost.base.Broken;
import dev.roost.base.ErrorCode;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.StuckSessionKiller;
import dev.roost.ledger.db.DatabaseFailure;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Files of runs for all nodes, as compressed chunks in a table of their own. The attempt number fences writers: once a later
 * attempt has written or claimed the run, an earlier one changes nothing. All methods throw {@link Broken} while the database
 * cannot be reached; then the operation may or may not have happened, and may be repeated.
 */
public final class PostgresFileStore {

    private static final String UNFINISHED = "~";
    private static final int AT_ONCE = 4 * ChunkRows.MOST;
    private static final int RUNS_AT_ONCE = 50;

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(3);

    private final ConnectionSource database;
    private final StuckSessionKiller stuckSessionKiller;

    public PostgresFileStore(DataSource source) {
        this.database = new ConnectionSource(source);
        this.stuckSessionKiller = new StuckSessionKiller(database, LOCK_TIMEOUT);
    }

    Optional<Map<SharedFileName, Long>> claimWriting(RunId run, int attempt, Map<SharedFileName, Long> lengths) {
        return claimWriting(List.of(new WriterClaim(run, attempt, lengths))).getFirst();
    }

    /**
     * Makes these attempts the writers, and truncates each stored file to the given length, all in one commit. Returns for each
     * claim the lengths in the store, 0 for a missing file; empty if a later attempt has claimed the run.
     */
    public List<Optional<Map<SharedFileName, Long>>> claimWriting(List<WriterClaim> all) {
        if (all.isEmpty()) return List.of();
        var attempts = new HashMap<RunId, Integer>();
        all.forEach(writerClaim -> attempts.merge(writerClaim.run(), writerClaim.attempt(), Math::max));
        return write(handle -> {
            var rows = new SharedFileRows(handle);
            var held = stuckSessionKiller.with(handle, () -> rows.lock(attempts));
            var streams = rows.streams(held.keySet()).stream()
                    .filter(stream -> !isUnfinished(stream))
                    .collect(Collectors.groupingBy(SharedFileRows.StoredStream::run));
            var answers = new ArrayList<Optional<Map<SharedFileName, Long>>>();
            try (var chunks = new ChunkRows(handle)) {
                for (var writerClaim : all) {
                    boolean isWriter = held.getOrDefault(writerClaim.run(), 0) == writerClaim.attempt();
                    var stored = streams.getOrDefault(writerClaim.run().text(), List.of());
                    answers.add(isWriter ? Optional.of(take(rows, chunks, writerClaim, stored)) : Optional.empty());
                }
                chunks.flush();
            }
            return answers;
        });
    }

    private static Map<SharedFileName, Long> take(
            SharedFileRows rows, ChunkRows chunks, WriterClaim writerClaim, List<SharedFileRows.StoredStream> streams) {
        var stored = new HashMap<SharedFileName, Long>();
        writerClaim.lengths().keySet().forEach(name -> stored.put(name, 0L));
        for (var stream : streams) {
            var name = stream.kept().name();
            long most = writerClaim.lengths().getOrDefault(name, stream.length());
            if (!stream.whole() && stream.length() > most) {
                chunks.cut(stream.id(), most);
                rows.cut(stream, most);
            }
            stored.put(name, Math.min(stream.length(), most));
        }
        return stored;
    }

    ChunkResult append(RunId run, int attempt, SharedFileName name, long from, byte[] bytes) {
        return append(List.of(new FileChunk(run, attempt, name, from, bytes))).getFirst();
    }

    /** Appends to growing files, all in one commit. Bytes that are already stored change nothing. */
    public List<ChunkResult> append(List<FileChunk> pieces) {
        if (pieces.isEmpty()) return List.of();
        var attempts = new HashMap<RunId, Integer>();
        pieces.forEach(piece -> attempts.merge(piece.run(), piece.attempt(), Math::max));
        return write(handle -> append(handle, pieces, attempts));
    }

    private record Key(String run, String name) {}

    private static List<ChunkResult> append(
            SqlConnection handle, List<FileChunk> pieces, Map<RunId, Integer> attempts) {
        var rows = new SharedFileRows(handle);
        var held = rows.lock(attempts);
        var streams = new HashMap<Key, SharedFileRows.StoredStream>();
        for (var stream : rows.streams(held.keySet())) streams.put(new Key(stream.run(), stream.name()), stream);
        var answers = new ArrayList<ChunkResult>();
        var grown = new HashSet<Key>();
        try (var chunks = new ChunkRows(handle)) {
            for (var piece : pieces) {
                if (held.getOrDefault(piece.run(), 0) != piece.attempt()) {
                    answers.add(new ChunkResult.SupersededWriter());
                    continue;
                }
                var key = new Key(piece.run().text(), piece.name().text());
                var stream = streams.get(key);
                long length = stream == null ? 0 : stream.length();
                long end = piece.from() + piece.bytes().length;
                if (piece.from() > length) {
                    answers.add(new ChunkResult.MissingBytes(length));
                    continue;
                }
                if (end > length) {
                    if (stream == null)
                        stream = rows.create(piece.run(), piece.name().text(), false);
                    int skip = (int) (length - piece.from());
                    int loose = chunks.add(stream.id(), length, stream.unpackedBytes(), piece.bytes(), skip);
                    streams.put(key, stream.grown(end, loose));
                    grown.add(key);
                }
                answers.add(new ChunkResult.Stored(Math.max(length, end)));
            }
            chunks.flush();
        }
        rows.recordGrowth(grown.stream()
                .flatMap(key -> Optional.ofNullable(streams.get(key)).stream())
                .toList());
        return answers;
    }

    /**
     * Replaces a whole file atomically; returns its version, or empty if the attempt is fenced. Writes a big file in several
     * commits under a name that readers ignore; the last commit renames it.
     */
    public Optional<Long> put(RunId run, int attempt, SharedFileName name, InputStream content) throws IOException {
        var coming = name.text() + UNFINISHED;
        var bytes = content.readNBytes(AT_ONCE);
        boolean begun = false;
        while (bytes.length == AT_ONCE) {
            var some = bytes;
            boolean first = !begun;
            if (!write(handle -> add(handle, run, attempt, coming, first, some))) return Optional.empty();
            begun = true;
            bytes = content.readNBytes(AT_ONCE);
        }
        var last = bytes;
        boolean whole = !begun;
        return write(handle -> add(handle, run, attempt, coming, whole, last)
                ? Optional.of(rename(handle, run, coming, name.text()))
                : Optional.empty());
    }

    private static boolean isUnfinished(SharedFileRows.StoredStream stream) {
        return stream.name().endsWith(UNFINISHED);
    }

    private static boolean add(SqlConnection handle, RunId run, int attempt, String name, boolean first, byte[] bytes) {
        var rows = new SharedFileRows(handle);
        if (rows.lock(Map.of(run, attempt)).isEmpty()) return false;
        if (first) remove(handle, run, name);
        var stream =
                first ? rows.create(run, name, true) : rows.stream(run, name).orElseThrow();
        if (bytes.length == 0) return true;
        try (var chunks = new ChunkRows(handle)) {
            chunks.add(stream.id(), stream.length(), 0, bytes, 0);
            chunks.flush();
        }
        rows.recordGrowth(List.of(stream.grown(stream.length() + bytes.length, 0)));
        return true;
    }

    private static long rename(SqlConnection handle, RunId run, String from, String to) {
        long version = new SharedFileRows(handle)
                        .stream(run, to)
                                .map(SharedFileRows.StoredStream::version)
                                .orElse(0L)
                + 1;
        remove(handle, run, to);
        handle.execute(
                "UPDATE shelf_stream SET name = ?, version = ? WHERE run_id = ? AND name = ?",
                to,
                version,
                run.text(),
                from);
        return version;
    }

    private static void remove(SqlConnection handle, RunId run, String name) {
        handle.execute("DELETE FROM shelf_stream WHERE run_id = ? AND name = ?", run.text(), name);
    }

    /** All files of a run. */
    public List<SharedFile> list(RunId run) {
        return reach(() -> database.with(handle -> new SharedFileRows(handle)
                .streams(Set.of(run)).stream()
                        .filter(stream -> !isUnfinished(stream))
                        .map(SharedFileRows.StoredStream::kept)
                        .toList()));
    }

    public Optional<SharedFile> find(RunId run, SharedFileName name) {
        return list(run).stream().filter(file -> file.name().equals(name)).findFirst();
    }

    /** The length of a file in the store; 0 if it is missing. */
    long length(RunId run, SharedFileName name) {
        return find(run, name).map(SharedFile::length).orElse(0L);
    }

    /**
     * At most {@code most} bytes starting at {@code from}; no bytes at the end. Empty if the file or this version is gone. Uses one
     * statement, so that version and bytes are consistent.
     */
    public Optional<byte[]> read(RunId run, SharedFileName name, long version, long from, int most) {
        var chunks = reach(() -> database.with(
                handle -> handle.select("""
                SELECT coalesce(c.first, -1) AS first, coalesce(c.bytes, 0) AS bytes, coalesce(c.packed, '') AS packed
                  FROM shelf_stream s
                  LEFT JOIN shelf_chunk c
                    ON c.stream_id = s.id AND c.first > ? - ? AND c.first < ? AND c.first + c.bytes > ?
                 WHERE s.run_id = ? AND s.name = ? AND s.version = ?
                 ORDER BY c.first
                """, from, ChunkRows.MOST, from + most, from, run.text(), name.text(), version)
                        .list(ChunkRows.CHUNK)));
        if (chunks.isEmpty()) return Optional.empty();
        var bytes = new ByteArrayOutputStream();
        for (var chunk : chunks) {
            int skip = (int) (from + bytes.size() - chunk.first());
            if (chunk.bytes().length == 0) break;
            if (skip < 0 || skip >= chunk.bytes().length)
                throw new IllegalStateException("%s of %s has a gap before %d".formatted(name, run, chunk.first()));
            bytes.write(chunk.bytes(), skip, Math.min(chunk.bytes().length - skip, most - bytes.size()));
        }
        return Optional.of(bytes.toByteArray());
    }

    /** Removes the files of runs that any node has pruned; returns their number. Deletes a few at a time, because each may be big; concurrent nodes delete others. */
    public int deletePruned() {
        int all = 0;
        int some;
        do {
            some = write(handle -> handle.execute("""
                    DELETE FROM shelf_run WHERE run_id IN (
                        SELECT run_id FROM shelf_run WHERE gone LIMIT ? FOR UPDATE SKIP LOCKED)
                    """, RUNS_AT_ONCE));
            all += some;
        } while (some == RUNS_AT_ONCE);
        return all;
    }

    private <T> T write(Function<SqlConnection, T> work) {
        return reach(() -> database.transact(work::apply));
    }

    private static <T> T reach(Supplier<T> work) {
        try {
            return work.get();
        } catch (DatabaseFailure e) {
            var broken = ErrorCode.SHELF_AWAY.error("The shared files cannot be reached (%s).".formatted(why(e)));
            broken.initCause(e);
            throw broken;
        }
    }

    /** The message of PostgreSQL or its driver, without the statement's values, which are an agent's output. */
    private static String why(Throwable e) {
        for (var at = e; at != null; at = at.getCause()) {
            if (at instanceof SQLException sqlException && !(at instanceof BatchUpdateException))
                return String.valueOf(sqlException.getMessage()).strip();
        }
        return e.getClass().getSimpleName();
    }
}
