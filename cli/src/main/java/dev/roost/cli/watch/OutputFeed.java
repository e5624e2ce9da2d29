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
import java.util.function.Consumer;

/** Streams a run's output to the view until the run ends or the feed is closed. */
final class OutputFeed implements AutoCloseable {

    private static final long RETRY_NANOS = 300_000_000;
    private static final long CHUNK_INTERVAL_NANOS = 30_000_000; // limits repaints
    private static final long INITIAL_BYTES = 1 << 19;

    private final DaemonClient client;
    private final WatchCommand.Follow command;
    private final Consumer<Consumer<WatchModel>> updates;
    private volatile boolean closed;

    /** {@code updates} takes changes of the model on the feed's thread. */
    OutputFeed(Invocation invocation, WatchCommand.Follow command, Consumer<Consumer<WatchModel>> updates) {
        this.client = DaemonClient.of(invocation);
        this.command = command;
        this.updates = updates;
    }

    void start() {
        Thread.ofPlatform().daemon().name("output").start(() -> {
            try {
                follow();
            } catch (CliError e) {
                if (!closed) updates.accept(model -> model.setStatusMessage(e.sentence()));
            }
        });
    }

    private void follow() {
        long cursor = command.cursor() >= 0 ? command.cursor() : startNearEnd();
        boolean truncated = command.cursor() < 0 && cursor > 0;
        while (!closed) {
            var params = ClientCommand.params().put("run_id", command.id()).put("follow", true);
            var answer = client.callIfRunning(
                    "output", params.put("timeout_ms", "30s").put("cursor", cursor));
            if (closed) return;
            if (answer.isEmpty()) { // the list shows that the daemon is gone
                LockSupport.parkNanos(RETRY_NANOS);
                continue;
            }
            var output = answer.get();
            boolean isFirst = truncated;
            updates.accept(model -> model.output(command.id(), output, isFirst));
            cursor = output.path("next_cursor").asLong();
            truncated = false;
            if (output.has("ended_at") && !output.path("more").asBoolean(false)) return;
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
