package dev.roost.home;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that is only added to, from a length that was saved: what a dead daemon wrote beyond that is cut off first. */
public final class AppendFile implements AutoCloseable {

    private final FileChannel channel;
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private volatile long length;

    public AppendFile(Path file, long length) throws IOException {
        this.channel = PrivateFiles.open(file, StandardOpenOption.CREATE);
        this.channel.truncate(length);
        this.length = Math.min(length, this.channel.size());
    }

    public void append(ByteBuffer bytes) throws IOException {
        long at = length;
        while (bytes.hasRemaining()) at += channel.write(bytes, at);
        length = at;
    }

    /** To be written by the next {@link #flush}. */
    public void add(String text) {
        waiting.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** How much is to be written. */
    public int waiting() {
        return waiting.size();
    }

    /** Writes what was added; what cannot be written now, on a full disk say, is still there for the next time. */
    public void flush() throws IOException {
        if (waiting.size() == 0) return;
        append(ByteBuffer.wrap(waiting.toByteArray()));
        waiting.reset();
    }

    public long length() {
        return length;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
