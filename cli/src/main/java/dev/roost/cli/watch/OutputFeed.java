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

/** Streams a run's output to a reader until the run ends or the feed is closed. */
final class OutputFeed implements AutoCloseable {

    private static final long RETRY_NANOS = 300_000_000;
    private static final long CHUNK_INTERVAL_NANOS = 30_000_000; // limits repaints
    private static final long INITIAL_BYTES = 1 << 19;

    /** Receives output on the feed's thread. */
    interface Reader {
        void output(JsonNode output, boolean truncated);

        void failed(CliError error);
    }

    private final DaemonClient client;
    private final WatchCommand.Follow command;
    private final Reader reader;
    private volatile boolean closed;

    OutputFeed(Invocation invocation, WatchCommand.Follow command, Reader reader) {
        this.client = DaemonClient.of(invocation);
        this.command = command;
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
        long cursor = command.cursor() >= 0 ? command.cursor() : startNearEnd();
        boolean truncated = command.cursor() < 0 && cursor > 0;
        while (!closed) {
            var params = ClientCommand.params().put("run_id", command.id()).put("follow", true);
            var output = client.callIfRunning(
                    "output", params.put("timeout_ms", "30s").put("cursor", cursor));
            if (closed) return;
            if (output.isEmpty()) { // the list shows that the daemon is gone
                LockSupport.parkNanos(RETRY_NANOS);
                continue;
            }
            cursor = output.get().path("next_cursor").asLong();
            reader.output(output.get(), truncated);
            truncated = false;
            if (output.get().has("ended_at") && !output.get().path("more").asBoolean(false)) return;
            LockSupport.parkNanos(CHUNK_INTERVAL_NANOS);
        }
    }

    private long startNearEnd() {
        try {
            var file =
                    Files.readAttributes(Path.of(command.file()), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return Math.max(0, file.size() - INITIAL_BYTES);
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
