package dev.roost.daemon.api;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A connection that reads and writes lines. Several threads may write; their lines do not mix. */
public final class LineConnection {

    private static final int LONGEST = 8 << 20;

    private final SocketChannel channel;
    private final InputStream in;
    private final ReentrantLock writing = new ReentrantLock();

    public LineConnection(SocketChannel channel) {
        this.channel = channel;
        this.in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
    }

    /** Another protocol, to which a client of the socket can switch with its first line. */
    public interface Upgrade {

        /** Serves the client until it disconnects. {@code hello} are the params of its first line. */
        void serve(@Nullable JsonNode hello, LineConnection lines) throws IOException;
    }

    /** A line exceeds the limit. */
    public static final class TooLong extends IOException {
        TooLong() {
            super("a line of more than %d MiB".formatted(LONGEST >> 20));
        }
    }

    /** The next line; null at the end. */
    public @Nullable String next() throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') return bytes.toString(StandardCharsets.UTF_8);
            if (bytes.size() == LONGEST) throw new TooLong();
            bytes.write(b);
        }
        return null;
    }

    public void send(String line) throws IOException {
        var bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        writing.lock();
        try {
            while (bytes.hasRemaining()) channel.write(bytes);
        } finally {
            writing.unlock();
        }
    }
}
