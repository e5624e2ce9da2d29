package dev.roost.cluster.files;

import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Compresses chunks. A chunk that does not shrink is stored as it is, which its size shows. */
final class ChunkCompression implements AutoCloseable {

    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);

    byte[] pack(byte[] bytes, int from, int length) {
        deflater.reset();
        deflater.setInput(bytes, from, length);
        deflater.finish();
        var packed = new byte[length];
        int size = deflater.deflate(packed);
        boolean smaller = deflater.finished() && size < length;
        return smaller ? Arrays.copyOf(packed, size) : Arrays.copyOfRange(bytes, from, from + length);
    }

    static byte[] unpack(byte[] packed, int length) {
        if (packed.length == length) return packed;
        var inflater = new Inflater(true);
        try {
            inflater.setInput(packed);
            var bytes = new byte[length];
            int at = 0;
            while (at < length) {
                int more = inflater.inflate(bytes, at, length - at);
                if (more == 0) throw new IllegalStateException("a chunk of a shared file is truncated");
                at += more;
            }
            return bytes;
        } catch (DataFormatException e) {
            throw new IllegalStateException("a chunk of a shared file is damaged", e);
        } finally {
            inflater.end();
        }
    }

    @Override
    public void close() {
        deflater.end();
    }
}
