package dev.roost.cli.watch;

import dev.roost.cli.client.Style;
import dev.roost.cli.terminal.SafeText;
import dev.roost.cli.view.RunSummary;
import dev.roost.cli.view.RunTable;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** The list page: counts and cost, then one line a run, with the selected one marked. */
final class RunListView {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final int MARK = 2;

    private RunListView() {}

    static List<String> lines(WatchModel model) {
        int width = model.size().columns();
        var lines = new ArrayList<String>();
        lines.add(head(model, width));
        var runs = model.visible();
        if (runs.isEmpty()) {
            lines.add("");
            lines.add(SafeText.fit(nothing(model), width));
            return lines;
        }
        var table = RunTable.onScreen(runs, width - MARK, run -> lastColumn(model, run));
        lines.add("  " + table.getFirst());
        for (int i = 0; i < runs.size(); i++) {
            var row = SafeText.fit(table.get(i + 1), width - MARK);
            boolean chosen = i == model.chosen();
            lines.add(chosen ? Style.chosen(SafeText.pad("> " + row, width)) : "  " + row);
        }
        return lines;
    }

    private static String nothing(WatchModel model) {
        if (!model.listed()) return "…";
        var choice = model.choice();
        if (!choice.words().isEmpty()) return "No run contains these words. Esc: clear the filter.";
        if (choice.owner().isPresent())
            return "No runs of " + Style.safe(choice.owner().get()) + ". o: next owner.";
        return choice.all() ? "No runs yet. Start one: roost run -- COMMAND" : "No live or unread runs. a: show all.";
    }

    private static String head(WatchModel model, int width) {
        var time = LocalTime.now(ZoneId.systemDefault()).format(TIME);
        var text = model.gone()
                ? Style.red("the daemon is gone; the list may be outdated")
                : model.counts().line();
        var choice = model.choice();
        var chosen = new StringBuilder();
        if (choice.all()) chosen.append("  all");
        choice.owner().ifPresent(owner -> chosen.append("  ").append(Style.safe(owner)));
        if (!choice.words().isEmpty()) chosen.append("  /").append(Style.safe(choice.words()));
        if (model.cut()) chosen.append("  (without older ones)");
        var left = SafeText.fit(
                (width < 60 ? "" : Style.bold("roost  ")) + text + Style.blue(chosen.toString()),
                width - time.length() - 1);
        return SafeText.pad(left, width - time.length()) + Style.dim(time);
    }

    /** The run's question, else its description and last output line. */
    private static String lastColumn(WatchModel model, JsonNode run) {
        if (run.has("question")) return Style.yellow(flat(RunSummary.describe(run)));
        var last = model.lastLine(run);
        var does = flat(RunSummary.describe(run));
        if (last.isEmpty() || run.has("ended_at")) return does;
        return run.has("name")
                ? flat(last)
                : Style.fit(does, Math.max(8, model.size().columns() / 6)) + Style.dim(" › " + flat(last));
    }

    private static String flat(String text) {
        return SafeText.safe(text, false).replaceAll("\\s+", " ").strip();
    }
}
