package dev.roost.cli;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunSummary;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** For the completion scripts: one run a line, a tab, its description. Starts no daemon and prints no errors. */
@Command(name = "__runs", hidden = true)
final class CompletionRunsCommand extends ClientCommand {

    @Parameters(paramLabel = "COMMAND", description = "command to complete")
    @SuppressWarnings("NullAway.Init")
    private String command;

    @Override
    public int call(DaemonClient client) {
        boolean live = command.equals("stop");
        client.callIfRunning("list", params().put("filter", live ? "all_active" : "all"))
                .ifPresent(answer -> {
                    for (var run : answer.path("runs")) if (!live || !run.has("ended_at")) print(run);
                });
        return 0;
    }

    private static void print(JsonNode run) {
        String description = RunSummary.state(run) + ", "
                + Style.safe(run.path("description").asString()).replaceAll("\\s+", " ");
        String name = run.path("name").asString("");
        if (RunSummary.isWord(name)) System.out.println(name + "\t" + description);
        System.out.println(run.path("run_id").asString() + "\t" + description);
    }
}
