package dev.roost.cli.run;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(
        name = "stop",
        description = {
            "Stop runs, and return when their process trees are gone. A lost node gets the request later.",
            "Stopping an ended run changes nothing."
        })
public final class StopCommand extends ClientCommand {

    @Parameters(paramLabel = "ID", arity = "0..*", description = "the runs")
    private @Nullable List<String> ids;

    @Option(names = "--owner", paramLabel = "O", description = "all live runs of this owner")
    private @Nullable String owner;

    @Option(names = "--all", description = "all live runs")
    private boolean all;

    @Override
    public int call(DaemonClient client) {
        var answer = params();
        stop(targets(client)).forEach(answer.putArray("runs")::add);
        return print(answer, StopCommand::print);
    }

    private static void print(JsonNode answer) {
        if (answer.path("runs").isEmpty()) System.out.println("Nothing to stop.");
        for (var run : RunEntry.all(answer)) {
            System.out.println(run.end());
            if (run.has("waits")) System.out.println("  " + Style.safe(run.text("waits")));
        }
    }

    private List<String> targets(DaemonClient client) {
        boolean several = all || owner != null;
        if (several == (ids != null && !ids.isEmpty())) {
            throw CliErrorCode.USAGE.error("Name the runs to stop, or pass --owner O or --all.", "roost stop ID…");
        }
        if (!several && ids != null) {
            // find all of them before the first stop
            return ids.stream()
                    .map(id -> client.call("show", params().put("run_id", id))
                            .path("run_id")
                            .asString())
                    .toList();
        }
        var params = params().put("filter", "all_active").put("limit", 1000);
        if (owner != null) params.put("owner", owner);
        var live = new ArrayList<String>();
        JsonNode page;
        do {
            page = client.call("list", params);
            for (var run : RunEntry.all(page)) if (!run.ended()) live.add(run.id());
            params.put("cursor", page.path("next_cursor").asString(""));
        } while (page.has("next_cursor"));
        return live;
    }

    /** Stops the runs in parallel: each may take the whole grace. */
    private List<JsonNode> stop(List<String> targets) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var stops = targets.stream().map(id -> (Callable<JsonNode>) () -> {
                try (var own = DaemonClient.of(invocation)) {
                    return own.call("stop", params().put("run_id", id));
                }
            });
            var results = new ArrayList<JsonNode>();
            for (Future<JsonNode> one : stops.map(threads::submit).toList()) results.add(one.get());
            return results;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CliError known) throw known;
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
