package dev.roost.supervisor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Carries an agent's raw stream over into the readable output, from where it left off. Where it left off is a pair of
 * lengths; whatever a dead daemon wrote beyond the last pair that was saved is cut off and carried over again.
 */
public final class OutputTail implements AutoCloseable {

    private static final int CHUNK = 1 << 16;

    private final Path raw;
    private final FileChannel readable;
    private long rawOffset;
    private volatile long readableLength;

    public OutputTail(Path raw, Path readable, long rawOffset, long readableLength) throws IOException {
        this.raw = raw;
        this.rawOffset = rawOffset;
        this.readableLength = readableLength;
        this.readable = PrivateFiles.open(readable, StandardOpenOption.CREATE);
        this.readable.truncate(readableLength);
    }

    /** Carries over what is new, {@code most} bytes or a little more; true if there was something. */
    public boolean advance(long most) throws IOException {
        long began = rawOffset;
        if (!PrivateFiles.exists(raw)) return false; // nothing written yet, or something else put in its place
        try (var channel = PrivateFiles.open(raw, StandardOpenOption.READ)) {
            var buffer = ByteBuffer.allocate(CHUNK);
            while (rawOffset - began < most && channel.read(buffer.clear(), rawOffset) > 0) {
                append(buffer.flip());
                rawOffset += buffer.limit();
            }
        } catch (NoSuchFileException e) {
            // removed this moment
        }
        return rawOffset > began;
    }

    private void append(ByteBuffer bytes) throws IOException {
        long at = readableLength;
        while (bytes.hasRemaining()) at += readable.write(bytes, at);
        readableLength = at;
    }

    /** Adds words of our own after the agent's. */
    public void append(String text) throws IOException {
        append(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    public long rawOffset() {
        return rawOffset;
    }

    public long readableLength() {
        return readableLength;
    }

    @Override
    public void close() throws IOException {
        readable.close();
    }
}
