package dev.roost.home;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** An append-only file. Opening it truncates it to the given saved length: a dead daemon may have written more. */
public final class AppendFile implements AutoCloseable {

    private final FileChannel channel;
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream();
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

    /** Buffers text for the next {@link #flush}. */
    public void add(String text) {
        buffer.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The number of buffered bytes. */
    public int waiting() {
        return buffer.size();
    }

    /** Writes the buffered text. If that fails, on a full disk for instance, the buffer stays for the next flush. */
    public void flush() throws IOException {
        if (buffer.size() == 0) return;
        append(ByteBuffer.wrap(buffer.toByteArray()));
        buffer.reset();
    }

    public long length() {
        return length;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
