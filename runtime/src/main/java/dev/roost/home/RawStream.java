package dev.roost.home;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What an agent writes, read from where it was left off: as bytes, or line by line. */
public final class RawStream {

    private static final int CHUNK = 1 << 16;
    private static final int LONGEST_LINE = 32 << 20;

    private final Path file;
    private final long end;
    private ByteArrayOutputStream line = new ByteArrayOutputStream(); // as far as it was read
    private long offset;
    private long at;

    public RawStream(Path file, long offset) {
        this(file, offset, Long.MAX_VALUE);
    }

    /** Only what lies before {@code end}. */
    public RawStream(Path file, long offset, long end) {
        this.file = file;
        this.offset = offset;
        this.at = offset;
        this.end = end;
    }

    /** Everything before this was handed over. */
    public long offset() {
        return offset;
    }

    /** Takes a piece of the stream. */
    public interface StreamConsumer<T> {
        void accept(T piece) throws IOException;
    }

    /** Hands over what is new, {@code most} bytes or a little more; true if there was something. */
    public boolean bytes(long most, StreamConsumer<ByteBuffer> taker) throws IOException {
        long began = offset;
        long size = PrivateFiles.size(file);
        if (size <= offset) return false; // nothing new, or something else put in its place
        try (var channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
            var buffer = ByteBuffer.allocate((int) Math.min(CHUNK, size - offset));
            while (offset - began < most && channel.read(buffer.clear(), offset) > 0) {
                int read = buffer.flip().remaining();
                taker.accept(buffer);
                offset += read;
            }
        } catch (NoSuchFileException e) {
            // removed this moment
        }
        return offset > began;
    }

    /**
     * Hands over whole lines that are new, of {@code most} bytes or a little more; {@code last} also one that nobody will end
     * any more. True if there was something, be it a piece of a line.
     */
    public boolean lines(long most, boolean last, StreamConsumer<String> taker) throws IOException {
        long began = at;
        long size = PrivateFiles.size(file);
        if (size > at) read(size, most, taker);
        if (last && line.size() > 0) emit(taker);
        return at > began;
    }

    private void read(long size, long most, StreamConsumer<String> taker) throws IOException {
        long began = at;
        try (var channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
            var buffer = ByteBuffer.allocate((int) Math.min(CHUNK, size - at));
            while (at - began < most && at < end && channel.read(buffer.clear(), at) > 0) {
                buffer.flip();
                while (buffer.hasRemaining() && at < end) {
                    byte b = buffer.get();
                    at++;
                    if (b != '\n') {
                        if (line.size() < LONGEST_LINE) line.write(b); // the rest of a monster makes no sense anyway
                        continue;
                    }
                    emit(taker);
                }
            }
        } catch (NoSuchFileException e) {
            // removed this moment
        }
    }

    /** It is not handed over again, whatever becomes of it. */
    private void emit(StreamConsumer<String> taker) throws IOException {
        var text = line.toString(StandardCharsets.UTF_8);
        if (line.size() > CHUNK) line = new ByteArrayOutputStream(); // lets go of what a long one took
        else line.reset();
        offset = at;
        taker.accept(text);
    }
}
