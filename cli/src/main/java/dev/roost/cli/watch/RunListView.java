package dev.roost.cli.watch;

import dev.roost.cli.client.Style;
import dev.roost.cli.terminal.SafeText;
import dev.roost.cli.view.Amount;
import dev.roost.cli.view.RunEntry;
import dev.roost.cli.view.RunTable;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The list page: counts and cost, then one line a run, with the selected one marked. */
final class RunListView {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final int MARK = 2;

    private RunListView() {}

    static List<String> lines(WatchModel model) {
        int width = model.size.columns();
        var runs = model.visible();
        var lines = new ArrayList<>(List.of(head(model, width)));
        if (runs.isEmpty()) {
            lines.add("");
            lines.add(SafeText.fit(nothing(model), width));
            return lines;
        }
        var table = RunTable.onScreen(runs, width - MARK, run -> lastColumn(model, run));
        lines.add("  " + table.getFirst());
        for (int i = 0; i < runs.size(); i++) {
            var row = SafeText.fit(table.get(i + 1), width - MARK);
            lines.add(i == model.chosen() ? Style.chosen(SafeText.pad("> " + row, width)) : "  " + row);
        }
        return lines;
    }

    /** Counts by urgency, and cost. */
    static String counts(List<RunEntry> runs) {
        var of = runs.stream().collect(Collectors.groupingBy(RunEntry::urgency, Collectors.counting()));
        long asking = of.getOrDefault(RunEntry.Urgency.ASKS, 0L);
        long unread = runs.stream().filter(run -> run.ended() && run.unread()).count();
        double cost = runs.stream().mapToDouble(RunEntry::cost).sum();
        var parts = new ArrayList<String>();
        if (asking > 0) parts.add(Style.yellow(asking + (asking == 1 ? " asks" : " ask")));
        if (of.containsKey(RunEntry.Urgency.DIED)) parts.add(Style.red(of.get(RunEntry.Urgency.DIED) + " died"));
        parts.add(of.getOrDefault(RunEntry.Urgency.RUNNING, 0L) + " running");
        if (of.containsKey(RunEntry.Urgency.QUEUED)) parts.add(of.get(RunEntry.Urgency.QUEUED) + " queued");
        if (unread > 0) parts.add(unread + " unread");
        if (cost > 0) parts.add(Amount.dollars(cost));
        return String.join(", ", parts);
    }

    private static String nothing(WatchModel model) {
        if (!model.listed) return "…";
        if (!model.choice.words().isEmpty()) return "No run contains these words. Esc: clear the filter.";
        if (model.choice.owner().isPresent())
            return "No runs of " + Style.safe(model.choice.owner().get()) + ". o: next owner.";
        return model.choice.all()
                ? "No runs yet. Start one: roost run -- COMMAND"
                : "No live or unread runs. a: show all.";
    }

    private static String head(WatchModel model, int width) {
        var time = LocalTime.now(ZoneId.systemDefault()).format(TIME);
        var text = model.gone ? Style.red("the daemon is gone; the list may be outdated") : model.counts;
        var chosen = new StringBuilder();
        if (model.choice.all()) chosen.append("  all");
        model.choice.owner().ifPresent(owner -> chosen.append("  ").append(Style.safe(owner)));
        if (!model.choice.words().isEmpty()) chosen.append("  /").append(Style.safe(model.choice.words()));
        if (model.isCut()) chosen.append("  (without older ones)");
        var left = SafeText.fit(
                (width < 60 ? "" : Style.bold("roost  ")) + text + Style.blue(chosen.toString()),
                width - time.length() - 1);
        return SafeText.pad(left, width - time.length()) + Style.dim(time);
    }

    /** The run's question, else its description and last output line. */
    private static String lastColumn(WatchModel model, RunEntry run) {
        var does = flat(run.describe());
        if (run.has("question")) return Style.yellow(does);
        var last = model.lastLine(run);
        if (last.isEmpty() || run.ended()) return does;
        return run.has("name")
                ? flat(last)
                : Style.fit(does, Math.max(8, model.size.columns() / 6)) + Style.dim(" › " + flat(last));
    }

    private static String flat(String text) {
        return SafeText.safe(text, false).replaceAll("\\s+", " ").strip();
    }
}
