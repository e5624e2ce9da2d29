package dev.roost.daemon.delivery;

import dev.roost.base.TextFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The last bytes of a program's standard error, read while it runs so that it never blocks on a full pipe. */
final class StderrTail {

    private static final int MOST_BYTES = 120;
    private static final int TIMEOUT_MS = 200; // a child that it left behind may keep the pipe open

    private final Thread reader;
    private volatile byte[] last = new byte[0];

    StderrTail(InputStream from) {
        reader = Thread.ofVirtual().start(() -> read(from));
    }

    private void read(InputStream from) {
        var buffer = new byte[4096];
        try (from) {
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                var all = Arrays.copyOf(last, last.length + n);
                System.arraycopy(buffer, 0, all, last.length, n);
                last = Arrays.copyOfRange(all, Math.max(0, all.length - MOST_BYTES), all.length);
            }
        } catch (IOException e) {
            // the pipe is closed
        }
    }

    /** The text after a colon; empty if there is none. */
    String text() throws InterruptedException {
        reader.join(java.time.Duration.ofMillis(TIMEOUT_MS));
        var text = new String(last, StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? "" : ": " + TextFormat.printable(text);
    }
}
