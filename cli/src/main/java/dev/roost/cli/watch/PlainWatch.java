package dev.roost.cli.watch;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunTable;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/** {@code ps --watch} for pipes and files: polls the list, across restarts of the daemon, until the reader closes. */
public record PlainWatch(DaemonClient client, Optional<String> owner, boolean all) {

    private static final long POLL_NANOS = 500_000_000;

    /**
     * Prints the list when it changed; elapsed times do not count. Starts no daemon: a stopped one must stay stopped, and a
     * replaced one must find the lock free.
     */
    public void show(boolean json) {
        Optional<JsonNode> last = Optional.empty();
        boolean gone = false;
        while (!System.out.checkError()) {
            long startedAt = System.nanoTime();
            var now = list();
            if (now.isEmpty() && !gone) System.err.println("roost: the daemon is gone; waiting for the next one");
            gone = now.isEmpty();
            if (now.isPresent() && !now.equals(last)) {
                if (json) System.out.println(now.get());
                else printTable(now.get(), last.isPresent());
                last = now;
            }
            // poll a slow list less often
            LockSupport.parkNanos(Math.max(POLL_NANOS, 4 * (System.nanoTime() - startedAt)));
        }
    }

    private void printTable(JsonNode answer, boolean below) {
        if (below) System.out.println();
        new RunTable(answer, all).lines(Style.columns(), Integer.MAX_VALUE).forEach(System.out::println);
    }

    private Optional<JsonNode> list() {
        var params = ClientCommand.params();
        owner.ifPresent(one -> params.put("owner", one));
        try {
            return all
                    ? client.callIfRunning("list", params.put("filter", "all"))
                    : client.listIfRunning(params.put("filter", "all_active"), Integer.MAX_VALUE);
        } catch (CliError e) {
            if (e.exit() == CliError.FAILED) return Optional.empty(); // the daemon is stopping
            throw e;
        }
    }
}
