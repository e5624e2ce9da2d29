package dev.roost.cluster.files;

import dev.roost.ledger.db.SqlConnection;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** The bytes of one stream, in rows of at most {@link #MOST} bytes. */
final class ChunkRows implements AutoCloseable {

    static final int MOST = 1 << 18;
    private static final int SMALL = 1 << 14;
    private static final int MANY = 16;
    static final SqlConnection.RowReader<Chunk> CHUNK = row ->
            new Chunk(row.getLong("first"), ChunkCompression.unpack(row.getBytes("packed"), row.getInt("bytes")));

    private final SqlConnection handle;
    private final ChunkCompression chunkCompression = new ChunkCompression();
    private final List<Object[]> inserts = new ArrayList<>();

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Chunk(long first, byte[] bytes) {}

    ChunkRows(SqlConnection handle) {
        this.handle = handle;
    }

    /**
     * Appends bytes, and returns the number of small chunks at the end. Many small chunks cost more than their content and compress
     * badly, so enough of them are merged into one.
     */
    int add(long stream, long length, int loose, byte[] bytes, int from) {
        int added = bytes.length - from;
        if (added >= SMALL) {
            insert(stream, length, bytes, from);
            return 0;
        }
        if (loose + 1 < MANY) {
            insert(stream, length, bytes, from);
            return loose + 1;
        }
        flush();
        var together = new ByteArrayOutputStream();
        long first = length;
        var removed = handle.select("""
                WITH old AS (
                    DELETE FROM shelf_chunk
                     WHERE stream_id = ?
                       AND first >= (SELECT min(first)
                                       FROM (SELECT first FROM shelf_chunk WHERE stream_id = ? ORDER BY first DESC LIMIT ?) AS last)
                    RETURNING first, bytes, packed)
                SELECT first, bytes, packed FROM old ORDER BY first
                """, stream, stream, loose).list(CHUNK);
        if (!removed.isEmpty()) first = removed.getFirst().first();
        removed.forEach(chunk -> together.writeBytes(chunk.bytes()));
        together.write(bytes, from, added);
        insert(stream, first, together.toByteArray(), 0);
        return 0;
    }

    private void insert(long stream, long first, byte[] bytes, int from) {
        for (int at = from; at < bytes.length; at += MOST) {
            int size = Math.min(MOST, bytes.length - at);
            inserts.add(new Object[] {stream, first + at - from, size, chunkCompression.pack(bytes, at, size)});
        }
    }

    /** Truncates the stream to {@code length}. */
    void cut(long stream, long length) {
        flush();
        var last = handle.select("""
                WITH old AS (
                    DELETE FROM shelf_chunk WHERE stream_id = ? AND first + bytes > ? AND first > ? - ?
                    RETURNING first, bytes, packed)
                SELECT first, bytes, packed FROM old WHERE first < ?
                """, stream, length, length, MOST, length).optional(CHUNK);
        last.ifPresent(chunk -> insert(
                stream, chunk.first(), java.util.Arrays.copyOf(chunk.bytes(), (int) (length - chunk.first())), 0));
    }

    /** Executes the pending inserts. */
    void flush() {
        handle.batch("INSERT INTO shelf_chunk (stream_id, first, bytes, packed) VALUES (?, ?, ?, ?)", inserts);
        inserts.clear();
    }

    @Override
    public void close() {
        chunkCompression.close();
    }
}
