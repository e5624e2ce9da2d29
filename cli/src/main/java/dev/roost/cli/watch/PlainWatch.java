package dev.roost.cli.watch;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.view.RunLines;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** For pipes and files: looks at the list again and again, across restarts of the daemon, as long as somebody reads it. */
public final class PlainWatch {

    private static final long BETWEEN_LOOKS = 500_000_000;
    private static final int PAGE = 1000;

    private final DaemonClient client;
    private final Optional<String> owner;
    private final boolean all;

    public PlainWatch(DaemonClient client, Optional<String> owner, boolean all) {
        this.client = client;
        this.owner = owner;
        this.all = all;
    }

    /** Starts no daemon: one that was stopped on purpose must stay so, and one that is replaced finds its place free. */
    public void show(PlainWatchView view) {
        while (!System.out.checkError()) {
            long began = System.nanoTime();
            look().ifPresentOrElse(answer -> view.now(new RunLines(answer, all)), view::gone);
            // a list so long that it takes its time is asked for less often
            LockSupport.parkNanos(Math.max(BETWEEN_LOOKS, 4 * (System.nanoTime() - began)));
        }
    }

    private Optional<JsonNode> look() {
        return all ? list(params("all")) : active();
    }

    /** All pages as one answer. */
    private Optional<JsonNode> active() {
        var whole = ClientCommand.params();
        var runs = whole.putArray("runs");
        var params = params("all_active").put("limit", PAGE);
        while (true) {
            var page = list(params);
            if (page.isEmpty()) return page;
            page.get().path("runs").forEach(runs::add);
            if (!page.get().has("next_cursor")) return Optional.of(whole);
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
            if (e.exit() == CliError.FAILED) return Optional.empty(); // a daemon on its way out
            throw e;
        }
    }
}
