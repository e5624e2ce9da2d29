package dev.roost.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Runs as a table for people. A column that says nothing is left away, and so are some where there is little room. */
final class RunTable {

    /** What goes first where the last column would be too narrow. */
    private static final List<String> LEAST = List.of("AGE", "TOOK");

    private static final int ENOUGH = 20;

    private RunTable() {}

    static List<String> lines(List<JsonNode> runs, int width) {
        var columns = new LinkedHashMap<String, Function<JsonNode, String>>();
        columns.put("RUN", run -> run.path("run_id").asString());
        if (runs.stream().anyMatch(run -> run.has("name")))
            columns.put("NAME", run -> Style.safe(Style.fit(run.path("name").asString(""), 24)));
        columns.put("STATE", RunTable::state);
        if (runs.stream().anyMatch(run -> run.has("landing"))) columns.put("CODE", Code::brief);
        columns.put("AGE", Summary::age);
        columns.put("TOOK", run -> run.has("started_at") ? Summary.took(run) : "");
        if (runs.stream().map(run -> run.path("owner").asString()).distinct().count() > 1)
            columns.put("OWNER", run -> Style.safe(Style.fit(run.path("owner").asString(), 28)));
        columns.put("WHAT", run -> Style.safe(Summary.what(run)).replaceAll("\\s+", " "));
        var rows = rows(columns, runs);
        for (var least : LEAST) {
            if (Table.room(rows, width) >= ENOUGH) break;
            if (columns.remove(least) != null) rows = rows(columns, runs);
        }
        return Table.lines(rows, width);
    }

    private static List<List<String>> rows(Map<String, Function<JsonNode, String>> columns, List<JsonNode> runs) {
        var rows = new ArrayList<List<String>>();
        rows.add(columns.keySet().stream().map(Style::dim).toList());
        for (var run : runs)
            rows.add(columns.values().stream().map(column -> column.apply(run)).toList());
        return rows;
    }

    private static String state(JsonNode run) {
        String status = run.path("status").asString();
        String state = Style.status(status, Summary.mark(status) + " " + Summary.state(run));
        return run.path("unread").asBoolean() ? state + " " + Style.bold("(unread)") : state;
    }
}
