package dev.roost.home;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reads an agent's output from a saved offset, as bytes or line by line. */
public final class RawStream {

    private static final int CHUNK = 1 << 16;
    private static final int LONGEST_LINE = 32 << 20;

    private final Path file;
    private final long end;
    private ByteArrayOutputStream line = new ByteArrayOutputStream(); // the incomplete line read so far
    private long offset;
    private long at;

    public RawStream(Path file, long offset) {
        this(file, offset, Long.MAX_VALUE);
    }

    /** Reads no further than {@code end}. */
    public RawStream(Path file, long offset, long end) {
        this.file = file;
        this.offset = offset;
        this.at = offset;
        this.end = end;
    }

    /** The position up to which all bytes or lines were handed over. */
    public long offset() {
        return offset;
    }

    /** Accepts bytes or lines of the stream. */
    public interface StreamConsumer<T> {
        void accept(T data) throws IOException;
    }

    /** Hands over new bytes, {@code most} or a little more; true if there were any. */
    public boolean bytes(long most, StreamConsumer<ByteBuffer> consumer) throws IOException {
        long start = offset;
        long size = PrivateFiles.size(file);
        if (size <= offset) return false; // nothing new, or the file was replaced
        try (var channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
            var buffer = ByteBuffer.allocate((int) Math.min(CHUNK, size - offset));
            while (offset - start < most && channel.read(buffer.clear(), offset) > 0) {
                int read = buffer.flip().remaining();
                consumer.accept(buffer);
                offset += read;
            }
        } catch (NoSuchFileException e) {
            // the file was removed meanwhile
        }
        return offset > start;
    }

    /**
     * Hands over new complete lines, {@code most} bytes or a little more; with {@code last} also a final line without a line
     * end. True if any byte was read.
     */
    public boolean lines(long most, boolean last, StreamConsumer<String> consumer) throws IOException {
        long start = at;
        long size = PrivateFiles.size(file);
        if (size > at) read(size, most, consumer);
        if (last && line.size() > 0) emit(consumer);
        return at > start;
    }

    private void read(long size, long most, StreamConsumer<String> consumer) throws IOException {
        long start = at;
        try (var channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
            var buffer = ByteBuffer.allocate((int) Math.min(CHUNK, size - at));
            while (at - start < most && at < end && channel.read(buffer.clear(), at) > 0) {
                buffer.flip();
                while (buffer.hasRemaining() && at < end) {
                    byte b = buffer.get();
                    at++;
                    if (b != '\n') {
                        if (line.size() < LONGEST_LINE) line.write(b); // drops the rest of an overlong line
                        continue;
                    }
                    emit(consumer);
                }
            }
        } catch (NoSuchFileException e) {
            // the file was removed meanwhile
        }
    }

    /** Advances the offset first: a line that the consumer fails on is not handed over again. */
    private void emit(StreamConsumer<String> consumer) throws IOException {
        var text = line.toString(StandardCharsets.UTF_8);
        if (line.size() > CHUNK) line = new ByteArrayOutputStream(); // frees the memory of a long line
        else line.reset();
        offset = at;
        consumer.accept(text);
    }
}
