package dev.roost.cli.view;

import dev.roost.cli.client.Style;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Runs as a table. Leaves out empty columns, and the least important ones if the width is small. */
public record RunTable(JsonNode answer, boolean all) {

    /** Columns to drop, in this order, if the last one would be too narrow. */
    private static final List<String> DROPPED_FIRST = List.of("AGE", "TOOK");

    private static final List<String> DROPPED_FIRST_ON_SCREEN = List.of("TOOK", "AGE", "OWNER", "NODE", "CODE");
    private static final int MIN_LAST_WIDTH = 20;
    private static final int NARROW_SCREEN = 96;

    private record Column(String head, Function<RunEntry, String> cell) {
        static Column text(String head, String field, int width) {
            return new Column(head, run -> Style.fit(Style.safe(run.text(field)), width));
        }
    }

    public List<RunEntry> runs() {
        return RunEntry.all(answer);
    }

    /** Whether the response has a next page. */
    public boolean isCut() {
        return answer.has("next_cursor");
    }

    /** At most {@code most} runs, newest first, and a line for the rest. */
    public List<String> lines(int width, int most) {
        var runs = runs();
        if (runs.isEmpty()) return none();
        var shown = runs.subList(0, Math.min(most, runs.size()));
        var columns = columns(shown, RunEntry::markedState);
        columns.add(what());
        var lines = new ArrayList<>(fitted(columns, shown, width, DROPPED_FIRST));
        if (runs.size() > most)
            lines.add(Style.dim("…and %s%d more.".formatted(isCut() ? "over " : "", runs.size() - most)));
        else if (isCut()) lines.add(Style.dim("…and older ones."));
        return lines;
    }

    /** All columns, without a width limit. */
    public List<String> wide() {
        var runs = runs();
        if (runs.isEmpty()) return none();
        var columns = columns(runs, RunEntry::markedState);
        columns.removeIf(column -> List.of("OWNER", "NODE").contains(column.head));
        columns.add(Column.text("OWNER", "owner", 0));
        columns.add(Column.text("AGENT", "agent", 0));
        for (var field : List.of("node", "waits"))
            if (runs.stream().anyMatch(run -> run.has(field)))
                columns.add(Column.text(field.toUpperCase(Locale.ROOT), field, 0));
        columns.add(what());
        return TextTable.lines(rows(columns, runs), Integer.MAX_VALUE);
    }

    private List<String> none() {
        return List.of(
                all
                        ? "No runs yet. Start one: roost run -- COMMAND"
                        : "No live or unread runs. `roost ps --all` shows the rest.");
    }

    /** For the full screen; {@code what} is the last column. */
    public static List<String> onScreen(List<RunEntry> runs, int width, Function<RunEntry, String> what) {
        boolean narrow = width < NARROW_SCREEN;
        var columns = columns(runs, narrow ? RunTable::shortState : RunEntry::markedState);
        if (narrow) { // the screen selects runs without ids
            columns.removeIf(column -> List.of("RUN", "NAME").contains(column.head));
            columns.addFirst(new Column("NAME", run -> Style.fit(run.title(), 16)));
        }
        columns.add(new Column("WHAT", what));
        return fitted(columns, runs, width, DROPPED_FIRST_ON_SCREEN);
    }

    /** All columns but the last one. */
    private static List<Column> columns(List<RunEntry> runs, Function<RunEntry, String> state) {
        var columns = new ArrayList<Column>();
        columns.add(new Column("RUN", RunEntry::id));
        if (runs.stream().anyMatch(run -> run.has("name"))) columns.add(Column.text("NAME", "name", 24));
        columns.add(new Column("STATE", state));
        if (runs.stream().anyMatch(run -> run.has("landing"))) columns.add(new Column("CODE", RunEntry::landing));
        columns.add(new Column("AGE", RunEntry::age));
        columns.add(new Column("TOOK", run -> run.has("started_at") ? run.took() : ""));
        if (differ(runs, "owner")) columns.add(Column.text("OWNER", "owner", 28));
        if (differ(runs, "node")) columns.add(Column.text("NODE", "node", 16));
        return columns;
    }

    private static boolean differ(List<RunEntry> runs, String field) {
        return runs.stream()
                        .filter(run -> run.has(field))
                        .map(run -> run.text(field))
                        .distinct()
                        .count()
                > 1;
    }

    private static Column what() {
        return new Column("WHAT", run -> Style.safe(run.describe()).replaceAll("\\s+", " "));
    }

    private static List<String> fitted(List<Column> columns, List<RunEntry> runs, int width, List<String> least) {
        var rows = rows(columns, runs);
        for (var head : least) {
            if (TextTable.room(rows, width) >= MIN_LAST_WIDTH) break;
            if (columns.removeIf(column -> column.head.equals(head))) rows = rows(columns, runs);
        }
        return TextTable.lines(rows, width);
    }

    private static List<List<String>> rows(List<Column> columns, List<RunEntry> runs) {
        var rows = new ArrayList<List<String>>();
        rows.add(columns.stream().map(column -> Style.dim(column.head)).toList());
        for (var run : runs)
            rows.add(columns.stream().map(column -> column.cell.apply(run)).toList());
        return rows;
    }

    private static String shortState(RunEntry run) {
        var word = run.detail().isEmpty() ? run.status() : run.detail();
        return run.marked(Style.fit(word, 15)) + (run.unread() && run.ended() ? Style.bold(" •") : "");
    }
}
