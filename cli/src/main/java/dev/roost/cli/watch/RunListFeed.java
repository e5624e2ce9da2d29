package dev.roost.cli.watch;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Invocation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Brings the list once, and then only what changed in it; across restarts of the daemon, none of which it starts. */
final class RunListFeed implements AutoCloseable {

    private static final long BETWEEN_CHANGES = 100_000_000; // many commits make one painting
    private static final long BETWEEN_TRIES = 300_000_000;
    private static final int PAGE = 1000;
    private static final int MOST = 10_000;

    /** Who is told; on the feed's own thread. */
    interface Reader {
        void listed(Collection<JsonNode> runs, boolean someLeftOff);

        void changed(Collection<JsonNode> runs, Collection<String> removed);

        void gone();
    }

    private final DaemonClient client;
    private final Optional<String> owner;
    private final Reader reader;
    private volatile boolean all;
    private volatile boolean closed;
    private volatile boolean again;

    RunListFeed(Invocation invocation, Optional<String> owner, boolean all, Reader reader) {
        this.client = DaemonClient.of(invocation);
        this.owner = owner;
        this.all = all;
        this.reader = reader;
    }

    void start() {
        Thread.ofPlatform().daemon().name("fleet").start(this::run);
    }

    /** Ended and read ones too, from now on. */
    void all() {
        all = true;
        again = true;
        client.close(); // it waits for changes
    }

    private void run() {
        while (!closed) {
            again = false;
            try {
                if (!follow() && !closed && !again) reader.gone();
            } catch (CliError e) {
                reader.gone(); // a daemon on its way out
            }
            if (!again) LockSupport.parkNanos(BETWEEN_TRIES);
        }
    }

    /** Until everything is to be looked at again (true), or the daemon is gone. */
    private boolean follow() {
        var start = changes(Optional.empty());
        if (start.isEmpty() || !list()) return false;
        var position = start.get().path("position").asString();
        while (!closed && !again) {
            var news = changes(Optional.of(position));
            if (news.isEmpty()) return false;
            if (news.get().path("again").asBoolean(false)) return true;
            position = news.get().path("position").asString();
            tell(news.get());
            LockSupport.parkNanos(BETWEEN_CHANGES);
        }
        return true;
    }

    private Optional<JsonNode> changes(Optional<String> after) {
        var params = ClientCommand.params();
        after.ifPresent(position -> params.put("after", position).put("timeout_ms", "30s"));
        return client.callIfRunning("changes", params);
    }

    private boolean list() {
        var runs = new ArrayList<JsonNode>();
        var params = params();
        while (true) {
            var page = client.callIfRunning("list", params);
            if (page.isEmpty()) return false;
            page.get().path("runs").forEach(runs::add);
            boolean more = page.get().has("next_cursor");
            if (!more || runs.size() >= MOST) {
                reader.listed(runs, more);
                return true;
            }
            params.put("cursor", page.get().get("next_cursor").asString());
        }
    }

    private ObjectNode params() {
        var params =
                ClientCommand.params().put("filter", all ? "all" : "all_active").put("limit", PAGE);
        owner.ifPresent(one -> params.put("owner", one));
        return params;
    }

    private void tell(JsonNode news) {
        var runs = new ArrayList<JsonNode>();
        var removed = new ArrayList<String>();
        for (var run : news.path("runs")) {
            if (owner.map(run.path("owner").asString()::equals).orElse(true)) runs.add(run);
            else removed.add(RunList.id(run)); // given to somebody else, if it was ever here
        }
        news.path("removed").forEach(id -> removed.add(id.asString()));
        reader.changed(runs, List.copyOf(removed));
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
