package dev.roost.cli;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Runs as a table for people. */
final class RunTable {

    private RunTable() {}

    static List<String> lines(List<JsonNode> runs, int width) {
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
            row.add(Style.safe(Summary.what(run)).replaceAll("\\s+", " "));
            rows.add(row);
        }
        return Table.lines(rows, width);
    }
}
