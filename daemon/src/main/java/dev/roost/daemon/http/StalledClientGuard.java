package dev.roost.daemon.http;

import dev.roost.base.Clock;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Disconnects clients that read nothing for too long. A write to such a client blocks forever. Interrupting the writing
 * thread closes the connection; closing the exchange from another thread would wait for the write.
 */
public final class StalledClientGuard implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(StalledClientGuard.class.getName());
    private static final int CHUNK_BYTES = 1 << 14;

    private final Clock clock;
    private final Duration timeout;
    private final Set<GuardedWrite> writing = ConcurrentHashMap.newKeySet();
    private final CountDownLatch over = new CountDownLatch(1);

    public StalledClientGuard(Clock clock, Duration timeout) {
        this.clock = clock;
        this.timeout = timeout;
        Thread.ofVirtual().name("roost-stalled-clients").start(this::interruptStuckWrites);
    }

    private void interruptStuckWrites() {
        try {
            while (!over.await(timeout.toMillis() / 4, TimeUnit.MILLISECONDS))
                writing.forEach(GuardedWrite::interruptIfStuck);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Clock clock() {
        return clock;
    }

    OutputStream watched(OutputStream out) {
        return new GuardedWrite(out);
    }

    /** Runs a task that may write to a client. */
    void interruptStuckWrites(Runnable writing) {
        var watched = new GuardedWrite(OutputStream.nullOutputStream());
        watched.begin();
        try {
            writing.run();
        } finally {
            watched.end();
        }
    }

    /** A step of a write, which may block. */
    private interface WriteStep {
        void run() throws IOException;
    }

    /** Writes in small chunks, so that a slow client is not mistaken for a stalled one. */
    private final class GuardedWrite extends FilterOutputStream {
        private final Object lock = new Object();
        private boolean busy;
        private long since;
        private Thread writer = Thread.currentThread();

        GuardedWrite(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            for (int at = from; at < from + length; at += CHUNK_BYTES) {
                int start = at;
                guarded(() -> out.write(bytes, start, Math.min(CHUNK_BYTES, from + length - start)));
            }
        }

        @Override
        public void flush() throws IOException {
            guarded(out::flush);
        }

        @Override
        public void close() throws IOException {
            guarded(out::close);
        }

        private void guarded(WriteStep step) throws IOException {
            begin();
            try {
                step.run();
            } finally {
                end();
            }
        }

        private void begin() {
            synchronized (lock) {
                since = clock.monotonicNanos();
                writer = Thread.currentThread();
                busy = true;
            }
            writing.add(this);
        }

        private void end() {
            writing.remove(this);
            synchronized (lock) {
                busy = false;
            }
        }

        private void interruptIfStuck() {
            synchronized (lock) {
                if (!busy || clock.monotonicNanos() - since < timeout.toNanos()) return;
                LOG.log(System.Logger.Level.INFO, "disconnected a client that does not read its answer");
                writer.interrupt();
            }
        }
    }

    @Override
    public void close() {
        over.countDown();
    }
}
