package dev.roost.cli.watch;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Invocation;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/** Delivers the list, then its changes, across restarts of the daemon; starts no daemon. */
final class RunListFeed implements AutoCloseable {

    private static final long CHANGE_INTERVAL_NANOS = 100_000_000; // combines changes into one repaint
    private static final long RETRY_NANOS = 300_000_000;
    private static final int MAX_RUNS = 10_000;

    private final DaemonClient client;
    private final Optional<String> owner;
    private final Consumer<Consumer<WatchModel>> updates;
    private volatile boolean all;
    private volatile boolean closed;
    private volatile boolean again;

    /** {@code updates} takes changes of the model on the feed's thread. */
    RunListFeed(Invocation invocation, Optional<String> owner, boolean all, Consumer<Consumer<WatchModel>> updates) {
        this.client = DaemonClient.of(invocation);
        this.owner = owner;
        this.all = all;
        this.updates = updates;
    }

    void start() {
        Thread.ofPlatform().daemon().name("fleet").start(this::run);
    }

    /** Switches to all runs, ended and read ones too. */
    void all() {
        all = true;
        again = true;
        client.close(); // interrupts the wait for changes
    }

    private void run() {
        while (!closed) {
            again = false;
            try {
                if (!follow() && !closed && !again) updates.accept(WatchModel::daemonLost);
            } catch (CliError e) {
                updates.accept(WatchModel::daemonLost); // the daemon is stopping
            }
            if (!again) LockSupport.parkNanos(RETRY_NANOS);
        }
    }

    /** Follows changes; true if the list must be reloaded, false if the daemon is gone. */
    private boolean follow() {
        var start = changes(Optional.empty());
        if (start.isEmpty() || !list()) return false;
        var position = start.get().path("position").asString();
        while (!closed && !again) {
            var changes = changes(Optional.of(position));
            if (changes.isEmpty()) return false;
            if (changes.get().path("again").asBoolean(false)) return true;
            position = changes.get().path("position").asString();
            deliver(changes.get());
            LockSupport.parkNanos(CHANGE_INTERVAL_NANOS);
        }
        return true;
    }

    private Optional<JsonNode> changes(Optional<String> after) {
        var params = ClientCommand.params();
        after.ifPresent(position -> params.put("after", position).put("timeout_ms", "30s"));
        return client.callIfRunning("changes", params);
    }

    private boolean list() {
        var params = ClientCommand.params().put("filter", all ? "all" : "all_active");
        owner.ifPresent(one -> params.put("owner", one));
        var answer = client.listIfRunning(params, MAX_RUNS);
        answer.ifPresent(list -> updates.accept(
                model -> model.listed(list.path("runs").valueStream().toList(), list.has("next_cursor"))));
        return answer.isPresent();
    }

    private void deliver(JsonNode changes) {
        var runs = new ArrayList<JsonNode>();
        var removed = new ArrayList<String>();
        for (var run : changes.path("runs")) {
            if (owner.map(run.path("owner").asString()::equals).orElse(true)) runs.add(run);
            else removed.add(run.path("run_id").asString()); // may have moved to another owner
        }
        changes.path("removed").forEach(id -> removed.add(id.asString()));
        updates.accept(model -> model.changed(runs, removed));
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
