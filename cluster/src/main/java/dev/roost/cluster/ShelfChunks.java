package dev.roost.cluster;

import java.io.ByteArrayOutputStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The bytes of one stream, in rows of at most {@link #MOST} bytes. */
final class ShelfChunks implements AutoCloseable {

    static final int MOST = 1 << 18;
    private static final int SMALL = 1 << 14;
    private static final int MANY = 16;
    static final RowMapper<Chunk> CHUNK =
            (row, _) -> new Chunk(row.getLong("first"), Packing.unpack(row.getBytes("packed"), row.getInt("bytes")));

    private final Handle handle;
    private final Packing packing = new Packing();
    private final PreparedBatch inserts;

    @SuppressWarnings("ArrayRecordComponent") // handed over and never compared
    record Chunk(long first, byte[] bytes) {}

    ShelfChunks(Handle handle) {
        this.handle = handle;
        this.inserts = handle.prepareBatch(
                "INSERT INTO shelf_chunk (stream_id, first, bytes, packed) VALUES (:stream, :first, :bytes, :packed)");
    }

    /**
     * Adds bytes at the end, and answers how many small chunks the end has then. Many small ones cost more than their content,
     * and do not pack well: when there are enough, they become one.
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
        var removed = handle.createQuery("""
                WITH old AS (
                    DELETE FROM shelf_chunk
                     WHERE stream_id = :stream
                       AND first >= (SELECT min(first)
                                       FROM (SELECT first FROM shelf_chunk WHERE stream_id = :stream ORDER BY first DESC LIMIT :loose) AS last)
                    RETURNING first, bytes, packed)
                SELECT first, bytes, packed FROM old ORDER BY first
                """)
                .bind("stream", stream)
                .bind("loose", loose)
                .map(CHUNK)
                .list();
        if (!removed.isEmpty()) first = removed.getFirst().first();
        removed.forEach(chunk -> together.writeBytes(chunk.bytes()));
        together.write(bytes, from, added);
        insert(stream, first, together.toByteArray(), 0);
        return 0;
    }

    private void insert(long stream, long first, byte[] bytes, int from) {
        for (int at = from; at < bytes.length; at += MOST) {
            int size = Math.min(MOST, bytes.length - at);
            inserts.bind("stream", stream)
                    .bind("first", first + at - from)
                    .bind("bytes", size)
                    .bind("packed", packing.pack(bytes, at, size))
                    .add();
        }
    }

    /** Removes what lies at {@code length} and beyond. */
    void cut(long stream, long length) {
        flush();
        var last = handle.createQuery("""
                WITH old AS (
                    DELETE FROM shelf_chunk WHERE stream_id = :stream AND first + bytes > :length AND first > :length - :most
                    RETURNING first, bytes, packed)
                SELECT first, bytes, packed FROM old WHERE first < :length
                """)
                .bind("stream", stream)
                .bind("length", length)
                .bind("most", MOST)
                .map(CHUNK)
                .findOne();
        last.ifPresent(chunk -> insert(
                stream, chunk.first(), java.util.Arrays.copyOf(chunk.bytes(), (int) (length - chunk.first())), 0));
    }

    /** Sends what is to be inserted. */
    void flush() {
        if (inserts.size() > 0) inserts.execute();
    }

    @Override
    public void close() {
        packing.close();
        inserts.close();
    }
}
