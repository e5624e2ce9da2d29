package dev.roost.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** For the completion scripts: a run a line, a tab, what it is. Starts no daemon and never complains. */
@Command(name = "__runs", hidden = true)
final class RunsCommand extends Common {

    @Parameters(paramLabel = "COMMAND", description = "for which command")
    @SuppressWarnings("NullAway.Init")
    private String command;

    @Override
    int call(Client client) {
        boolean live = command.equals("stop");
        client.askIfRunning("list", params().put("filter", live ? "all_active" : "all"))
                .ifPresent(answer -> {
                    for (var run : answer.path("runs")) if (!live || !run.has("ended_at")) print(run);
                });
        return 0;
    }

    private static void print(JsonNode run) {
        String what = Summary.state(run) + ", "
                + Style.safe(run.path("description").asString()).replaceAll("\\s+", " ");
        String name = run.path("name").asString("");
        if (Summary.isWord(name)) System.out.println(name + "\t" + what);
        System.out.println(run.path("run_id").asString() + "\t" + what);
    }
}
