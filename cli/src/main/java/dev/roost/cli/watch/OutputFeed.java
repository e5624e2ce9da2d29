package dev.roost.cli.watch;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Invocation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/** Brings what one run says, as it says it, until it has ended or nobody wants to know any more. */
final class OutputFeed implements AutoCloseable {

    private static final long BETWEEN_TRIES = 300_000_000;
    private static final long BETWEEN_CHUNKS = 30_000_000; // faster than anybody reads
    private static final long ENOUGH_TO_SEE = 1 << 19;

    /** Who is told; on the feed's own thread. */
    interface Reader {
        void said(JsonNode output, boolean fromTheMiddle);

        void failed(CliError error);
    }

    private final DaemonClient client;
    private final WatchCommand.Follow wish;
    private final Reader reader;
    private volatile boolean closed;

    OutputFeed(Invocation invocation, WatchCommand.Follow wish, Reader reader) {
        this.client = DaemonClient.of(invocation);
        this.wish = wish;
        this.reader = reader;
    }

    void start() {
        Thread.ofPlatform().daemon().name("output").start(() -> {
            try {
                follow();
            } catch (CliError e) {
                if (!closed) reader.failed(e);
            }
        });
    }

    private void follow() {
        long cursor = wish.cursor() >= 0 ? wish.cursor() : nearTheEnd();
        boolean middle = wish.cursor() < 0 && cursor > 0;
        while (!closed) {
            var params = ClientCommand.params().put("run_id", wish.id()).put("follow", true);
            var output = client.callIfRunning(
                    "output", params.put("timeout_ms", "30s").put("cursor", cursor));
            if (closed) return;
            if (output.isEmpty()) { // the list says that the daemon is gone
                LockSupport.parkNanos(BETWEEN_TRIES);
                continue;
            }
            cursor = output.get().path("next_cursor").asLong();
            reader.said(output.get(), middle);
            middle = false;
            if (output.get().has("ended_at") && !output.get().path("more").asBoolean(false)) return;
            LockSupport.parkNanos(BETWEEN_CHUNKS);
        }
    }

    private long nearTheEnd() {
        try {
            var file = Files.readAttributes(Path.of(wish.file()), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return Math.max(0, file.size() - ENOUGH_TO_SEE);
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
