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
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/** A stream of server-sent events: messages while a client waits for an answer, and then the answer. */
public final class SseStream implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SseStream.class.getName());

    /** The longest time without an event on a stream. Tests shorten it by {@code -Droost.silence}, in milliseconds. */
    public static final Duration SILENCE = Duration.ofMillis(Long.getLong("roost.silence", 10_000));

    private static final Duration CHECK_INTERVAL = SILENCE.dividedBy(2);

    private final OutputStream out;
    private final BooleanSupplier sessionCheck;
    private final Clock clock;
    private long checkedAt;
    private final ReentrantLock writing = new ReentrantLock();
    private final CountDownLatch over = new CountDownLatch(1);

    SseStream(OutputStream out, BooleanSupplier sessionCheck, Clock clock) throws IOException {
        this.out = out;
        this.sessionCheck = sessionCheck;
        this.clock = clock;
        this.checkedAt = clock.monotonicNanos();
        send(": \n\n");
    }

    /** Sends a heartbeat at intervals. Interrupts the calling thread if the client has disconnected. */
    public void beat() {
        var caller = Thread.currentThread();
        Thread.ofVirtual().start(() -> {
            try {
                while (!over.await(SILENCE.toMillis(), TimeUnit.MILLISECONDS)) send(": \n\n");
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a client disconnected; its run goes on", e);
                caller.interrupt();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Encodes an event: its number, after which a reader resumes, its name, and a line of JSON. */
    public static String text(long id, String name, JsonNode data) {
        return "id: %d\nevent: %s\ndata: %s\n\n".formatted(id, name, RunJson.MAPPER.writeValueAsString(data));
    }

    /** Sends an event; the client repeats its {@code id} when it reconnects. */
    public void event(String name, String id, String data) throws IOException {
        send("event: %s\nid: %s\ndata: %s\n\n".formatted(name, id, data.replace("\n", "\ndata: ")));
    }

    /** Sends an event without an id. */
    public void event(String name, String data) throws IOException {
        send("event: %s\ndata: %s\n\n".formatted(name, data));
    }

    public void message(JsonNode json) throws IOException {
        send("event: message\ndata: %s\n\n".formatted(RunJson.MAPPER.writeValueAsString(json)));
    }

    /** Sends the answer. Writes twice, because a write to a disconnected client fails only the second time. */
    public void last(JsonNode json) throws IOException {
        over.countDown();
        send(": \n\n");
        message(json);
    }

    /** Sends text that is already encoded as events. */
    public void send(String text) throws IOException {
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

    /** A stream sends something at least every ten seconds, so it ends soon after its token was revoked. */
    private boolean isStillAuthorized() {
        if (clock.monotonicNanos() - checkedAt < CHECK_INTERVAL.toNanos()) return true;
        checkedAt = clock.monotonicNanos();
        return sessionCheck.getAsBoolean();
    }

    /** Does not close the output; the request does. If closing an HTTP/1.0 stream failed here, it would stay open forever. */
    @Override
    public void close() {
        over.countDown();
    }
}
