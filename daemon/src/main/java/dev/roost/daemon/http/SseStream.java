package dev.roost.daemon.http;

import dev.roost.base.Clock;
import dev.roost.daemon.api.RunJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.node.ObjectNode;

/** Server-sent events: what is to be said while an answer is waited for, and then the answer. */
public final class SseStream implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SseStream.class.getName());

    /** A stream says something after this time at the latest. Tests wait less, with {@code -Droost.silence}, in milliseconds. */
    public static final Duration SILENCE = Duration.ofMillis(Long.getLong("roost.silence", 10_000));

    private static final Duration BETWEEN_LOOKS = SILENCE.dividedBy(2);

    private final OutputStream out;
    private final SessionCheck sessionCheck;
    private final Clock clock;
    private long checkedAt;
    private final ReentrantLock writing = new ReentrantLock();
    private final CountDownLatch over = new CountDownLatch(1);

    SseStream(OutputStream out, SessionCheck sessionCheck, Clock clock) throws IOException {
        this.out = out;
        this.sessionCheck = sessionCheck;
        this.clock = clock;
        this.checkedAt = clock.monotonicNanos();
        write(": \n\n");
    }

    /** Says something every now and then; the caller is interrupted when nobody is there any more. */
    public void beat() {
        var caller = Thread.currentThread();
        Thread.ofVirtual().start(() -> {
            try {
                while (!over.await(SILENCE.toMillis(), TimeUnit.MILLISECONDS)) write(": \n\n");
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a client went away; its run goes on", e);
                caller.interrupt();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** An event of that name, whose {@code id} the client says when it comes back. */
    public void event(String name, String id, String data) throws IOException {
        write("event: %s\nid: %s\ndata: %s\n\n".formatted(name, id, data.replace("\n", "\ndata: ")));
    }

    /** An event after which nobody has to come back. */
    public void event(String name, String data) throws IOException {
        write("event: %s\ndata: %s\n\n".formatted(name, data));
    }

    public void message(ObjectNode json) throws IOException {
        write("event: message\ndata: %s\n\n".formatted(RunJson.MAPPER.writeValueAsString(json)));
    }

    /** To one who is gone the first write succeeds and the second fails: so there are two. */
    public void last(ObjectNode json) throws IOException {
        over.countDown();
        write(": \n\n");
        message(json);
    }

    /** What is an event, or several, already. */
    public void send(String text) throws IOException {
        write(text);
    }

    private void write(String text) throws IOException {
        writing.lock();
        try {
            if (!isStillAuthorized())
                throw new IOException("a token was revoked or has expired while its stream was open");
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } finally {
            writing.unlock();
        }
    }

    /** Streams say something every ten seconds at least, so nobody hears much more than that after he was sent away. */
    private boolean isStillAuthorized() {
        if (clock.monotonicNanos() - checkedAt < BETWEEN_LOOKS.toNanos()) return true;
        checkedAt = clock.monotonicNanos();
        return sessionCheck.isStillValid();
    }

    /** The visit closes what is below: a stream of HTTP/1.0 that fails while it is closed here would stay open for ever. */
    @Override
    public void close() {
        over.countDown();
    }
}
