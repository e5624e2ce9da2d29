package dev.roost.daemon.delivery;

import dev.roost.base.TextFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The last of what a program complained about, read while it runs so that it never waits for us. */
final class StderrTail {

    private static final int MOST_BYTES = 120;
    private static final int PATIENCE_MS = 200; // somebody it left behind may hold the other end for long

    private final Thread reader;
    private volatile byte[] last = new byte[0];

    StderrTail(InputStream from) {
        reader = Thread.ofVirtual().start(() -> read(from));
    }

    private void read(InputStream from) {
        var some = new byte[4096];
        try (from) {
            for (int n = from.read(some); n >= 0; n = from.read(some)) {
                var all = Arrays.copyOf(last, last.length + n);
                System.arraycopy(some, 0, all, last.length, n);
                last = Arrays.copyOfRange(all, Math.max(0, all.length - MOST_BYTES), all.length);
            }
        } catch (IOException e) {
            // nothing more to be heard
        }
    }

    /** After a colon, or nothing. */
    String text() throws InterruptedException {
        reader.join(java.time.Duration.ofMillis(PATIENCE_MS));
        var text = new String(last, StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? "" : ": " + TextFormat.printable(text);
    }
}
