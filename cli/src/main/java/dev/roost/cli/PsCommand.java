package dev.roost.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

@Command(name = "ps", description = "Live runs, and ended ones that their owner has not read yet.")
final class PsCommand extends Common {

    @Option(names = "--all", description = "ended and read ones too")
    boolean all;

    @Option(names = "--owner", paramLabel = "O", description = "only this owner's")
    private @Nullable String owner;

    @Override
    int call(Client client) {
        var params = params().put("filter", all ? "all" : "all_active");
        if (owner != null) params.put("owner", owner);
        var answer = client.ask("list", params);
        if (json) printJson(answer);
        else print(answer);
        return 0;
    }

    private void print(JsonNode answer) {
        var runs = new ArrayList<JsonNode>();
        answer.path("runs").forEach(runs::add);
        if (runs.isEmpty()) {
            System.out.println(
                    all
                            ? "No runs yet. Start one: roost run -- COMMAND"
                            : "No live or unread runs. `roost ps --all` shows the rest.");
            return;
        }
        boolean owners = runs.stream()
                        .map(run -> run.path("owner").asString())
                        .distinct()
                        .count()
                > 1;
        boolean names = runs.stream().anyMatch(run -> run.has("name"));
        var rows = new ArrayList<List<String>>();
        var heads = new ArrayList<String>(List.of("RUN"));
        if (names) heads.add("NAME");
        heads.addAll(List.of("STATE", "AGE", "TOOK"));
        if (owners) heads.add("OWNER");
        heads.add("WHAT");
        rows.add(heads.stream().map(Style::dim).toList());
        for (var run : runs) {
            var row = new ArrayList<String>(List.of(run.path("run_id").asString()));
            if (names) row.add(Style.safe(Style.fit(run.path("name").asString(""), 24)));
            String status = run.path("status").asString();
            String state = Style.status(status, Summary.mark(status) + " " + Summary.state(run));
            row.add(run.path("unread").asBoolean() ? state + " " + Style.bold("(unread)") : state);
            row.add(Summary.age(run));
            row.add(run.has("started_at") ? Summary.took(run) : "");
            if (owners) row.add(Style.safe(Style.fit(run.path("owner").asString(), 28)));
            row.add(Style.safe(Style.fit(run.path("description").asString(), Math.max(20, Style.columns() - 75))));
            rows.add(row);
        }
        Table.print(rows);
        if (answer.has("next_cursor")) System.out.println(Style.dim("…and older ones."));
    }
}
