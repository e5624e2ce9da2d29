package dev.roost.cli;

import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** For pipes and files: looks at the list again and again, across restarts of the daemon, as long as somebody reads it. */
final class Watch {

    private static final long BETWEEN_LOOKS = 500_000_000;
    private static final int PAGE = 1000;

    private final Client client;
    private final Optional<String> owner;
    private final boolean all;

    Watch(Client client, Optional<String> owner, boolean all) {
        this.client = client;
        this.owner = owner;
        this.all = all;
    }

    /** Starts no daemon: one that was stopped on purpose must stay so, and one that is replaced finds its place free. */
    void show(StreamView view) {
        while (!System.out.checkError()) {
            long began = System.nanoTime();
            look().ifPresentOrElse(answer -> view.now(new Listing(answer, all)), view::gone);
            // a list so long that it takes its time is asked for less often
            LockSupport.parkNanos(Math.max(BETWEEN_LOOKS, 4 * (System.nanoTime() - began)));
        }
    }

    private Optional<JsonNode> look() {
        return all ? list(params("all")) : active();
    }

    /** All pages as one answer. */
    private Optional<JsonNode> active() {
        var whole = Common.params();
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
        var params = Common.params().put("filter", filter);
        owner.ifPresent(one -> params.put("owner", one));
        return params;
    }

    private Optional<JsonNode> list(ObjectNode params) {
        try {
            return client.askIfRunning("list", params);
        } catch (CliError e) {
            if (e.exit() == CliError.FAILED) return Optional.empty(); // a daemon on its way out
            throw e;
        }
    }
}
