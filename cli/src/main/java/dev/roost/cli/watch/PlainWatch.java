package dev.roost.cli.watch;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.view.RunLines;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ps --watch} for pipes and files: polls the list, across restarts of the daemon, until the reader closes. */
public final class PlainWatch {

    private static final long POLL_NANOS = 500_000_000;
    private static final int PAGE = 1000;

    private final DaemonClient client;
    private final Optional<String> owner;
    private final boolean all;

    public PlainWatch(DaemonClient client, Optional<String> owner, boolean all) {
        this.client = client;
        this.owner = owner;
        this.all = all;
    }

    /** Starts no daemon: a stopped one must stay stopped, and a replaced one must find the lock free. */
    public void show(PlainWatchView view) {
        while (!System.out.checkError()) {
            long startedAt = System.nanoTime();
            list().ifPresentOrElse(answer -> view.now(new RunLines(answer, all)), view::gone);
            // poll a slow list less often
            LockSupport.parkNanos(Math.max(POLL_NANOS, 4 * (System.nanoTime() - startedAt)));
        }
    }

    private Optional<JsonNode> list() {
        return all ? list(params("all")) : active();
    }

    /** All pages as one response. */
    private Optional<JsonNode> active() {
        var combined = ClientCommand.params();
        var runs = combined.putArray("runs");
        var params = params("all_active").put("limit", PAGE);
        while (true) {
            var page = list(params);
            if (page.isEmpty()) return page;
            page.get().path("runs").forEach(runs::add);
            if (!page.get().has("next_cursor")) return Optional.of(combined);
            params.put("cursor", page.get().get("next_cursor").asString());
        }
    }

    private ObjectNode params(String filter) {
        var params = ClientCommand.params().put("filter", filter);
        owner.ifPresent(one -> params.put("owner", one));
        return params;
    }

    private Optional<JsonNode> list(ObjectNode params) {
        try {
            return client.callIfRunning("list", params);
        } catch (CliError e) {
            if (e.exit() == CliError.FAILED) return Optional.empty(); // the daemon is stopping
            throw e;
        }
    }
}
