package dev.roost.cli.view;

import dev.roost.cli.client.Style;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Runs as a table. Leaves out empty columns, and the least important ones if the width is small. */
public final class RunTable {

    /** Columns to drop, in this order, if the last one would be too narrow. */
    private static final List<String> DROPPED_FIRST = List.of("AGE", "TOOK");

    private static final List<String> DROPPED_FIRST_ON_SCREEN = List.of("TOOK", "AGE", "OWNER", "NODE", "CODE");

    private static final int MIN_LAST_WIDTH = 20;
    private static final int NARROW_SCREEN = 96;

    private RunTable() {}

    static List<String> lines(List<JsonNode> runs, int width) {
        var columns = columns(
                runs,
                RunTable::state,
                run -> Style.safe(RunSummary.describe(run)).replaceAll("\\s+", " "));
        return fitted(columns, runs, width, DROPPED_FIRST);
    }

    /** All columns, without a width limit. */
    static List<String> wide(List<JsonNode> runs) {
        var columns = columns(
                runs,
                RunTable::state,
                run -> Style.safe(RunSummary.describe(run)).replaceAll("\\s+", " "));
        var what = columns.remove("WHAT");
        columns.putLast("OWNER", run -> Style.safe(run.path("owner").asString()));
        columns.putLast("AGENT", run -> Style.safe(run.path("agent").asString()));
        if (runs.stream().anyMatch(run -> run.has("node"))) columns.putLast("NODE", RunTable::node);
        if (runs.stream().anyMatch(run -> run.has("waits")))
            columns.putLast("WAITS", run -> Style.safe(run.path("waits").asString("")));
        if (what != null) columns.putLast("WHAT", what);
        return TextTable.lines(rows(columns, runs), Integer.MAX_VALUE);
    }

    private static String node(JsonNode run) {
        return Style.safe(run.path("node").asString(""));
    }

    /** For the full screen; {@code what} is the last column. */
    public static List<String> onScreen(List<JsonNode> runs, int width, Function<JsonNode, String> what) {
        boolean narrow = width < NARROW_SCREEN;
        var columns = columns(runs, narrow ? RunTable::shortState : RunTable::state, what);
        if (narrow) { // the screen selects runs without ids
            columns.remove("RUN");
            columns.putFirst("NAME", run -> Style.fit(RunSummary.title(run), 16));
        }
        return fitted(columns, runs, width, DROPPED_FIRST_ON_SCREEN);
    }

    private static SequencedMap<String, Function<JsonNode, String>> columns(
            List<JsonNode> runs, Function<JsonNode, String> state, Function<JsonNode, String> what) {
        var columns = new LinkedHashMap<String, Function<JsonNode, String>>();
        columns.put("RUN", run -> run.path("run_id").asString());
        if (runs.stream().anyMatch(run -> run.has("name")))
            columns.put("NAME", run -> Style.fit(Style.safe(run.path("name").asString("")), 24));
        columns.put("STATE", state);
        if (runs.stream().anyMatch(run -> run.has("landing"))) columns.put("CODE", LandingColumn::brief);
        columns.put("AGE", RunSummary::age);
        columns.put("TOOK", run -> run.has("started_at") ? RunSummary.took(run) : "");
        if (runs.stream().map(run -> run.path("owner").asString()).distinct().count() > 1)
            columns.put("OWNER", run -> Style.fit(Style.safe(run.path("owner").asString()), 28));
        if (runs.stream()
                        .flatMap(run -> run.path("node").asStringOpt().stream())
                        .distinct()
                        .count()
                > 1) columns.put("NODE", run -> Style.fit(node(run), 16));
        columns.put("WHAT", what);
        return columns;
    }

    private static List<String> fitted(
            Map<String, Function<JsonNode, String>> columns, List<JsonNode> runs, int width, List<String> least) {
        var rows = rows(columns, runs);
        for (var one : least) {
            if (TextTable.room(rows, width) >= MIN_LAST_WIDTH) break;
            if (columns.remove(one) != null) rows = rows(columns, runs);
        }
        return TextTable.lines(rows, width);
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
        String state = Style.status(status, RunSummary.mark(status) + " " + RunSummary.state(run));
        return run.path("unread").asBoolean() ? state + " " + Style.bold("(unread)") : state;
    }

    private static String shortState(JsonNode run) {
        String status = run.path("status").asString();
        String phase = run.path("phase").asString("");
        String cause = run.path("cause").asString("");
        String word = !phase.isEmpty() && !phase.equals("working")
                ? phase
                : cause.isEmpty() || cause.equals("finished") || cause.equals("stopped") ? status : cause;
        String state = Style.status(status, RunSummary.mark(status) + " " + Style.fit(word, 15));
        return run.path("unread").asBoolean() && run.has("ended_at") ? state + Style.bold(" •") : state;
    }
}
