package dev.roost.cli;

import dev.roost.cli.terminal.Ink;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** The list: counts and cost, then a line a run, the chosen one marked. */
final class ListPage {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final int MARK = 2;

    private ListPage() {}

    static List<String> lines(Board board) {
        int width = board.size().columns();
        var lines = new ArrayList<String>();
        lines.add(head(board, width));
        var runs = board.visible();
        if (runs.isEmpty()) {
            lines.add("");
            lines.add(Ink.fit(nothing(board), width));
            return lines;
        }
        var table = RunTable.onScreen(runs, width - MARK, run -> what(board, run));
        lines.add("  " + table.getFirst());
        for (int i = 0; i < runs.size(); i++) {
            var row = Ink.fit(table.get(i + 1), width - MARK);
            boolean chosen = i == board.chosen();
            lines.add(chosen ? Style.chosen(Ink.pad("> " + row, width)) : "  " + row);
        }
        return lines;
    }

    private static String nothing(Board board) {
        if (!board.listed()) return "…";
        var choice = board.choice();
        if (!choice.words().isEmpty()) return "No run has these words in it. Esc: forget them.";
        if (choice.owner().isPresent())
            return "None of " + Style.safe(choice.owner().get()) + ". o: the next owner's.";
        return choice.all()
                ? "No runs yet. Start one: roost run -- COMMAND"
                : "No live or unread runs. a: all of them.";
    }

    private static String head(Board board, int width) {
        var time = LocalTime.now(ZoneId.systemDefault()).format(TIME);
        var text = board.gone()
                ? Style.red("the daemon is gone; this is what it said last")
                : board.counts().line();
        var choice = board.choice();
        var chosen = new StringBuilder();
        if (choice.all()) chosen.append("  all");
        choice.owner().ifPresent(owner -> chosen.append("  ").append(Style.safe(owner)));
        if (!choice.words().isEmpty()) chosen.append("  /").append(Style.safe(choice.words()));
        if (board.cut()) chosen.append("  (older ones left off)");
        var left = Ink.fit(
                (width < 60 ? "" : Style.bold("roost  ")) + text + Style.blue(chosen.toString()),
                width - time.length() - 1);
        return Ink.pad(left, width - time.length()) + Style.dim(time);
    }

    /** What it asks; or what it does, and the last that it said. */
    private static String what(Board board, JsonNode run) {
        if (run.has("question")) return Style.yellow(flat(Summary.what(run)));
        var last = board.lastLine(run);
        var does = flat(Summary.what(run));
        if (last.isEmpty() || run.has("ended_at")) return does;
        return run.has("name")
                ? flat(last)
                : Style.fit(does, Math.max(8, board.size().columns() / 6)) + Style.dim(" › " + flat(last));
    }

    private static String flat(String text) {
        return Ink.safe(text, false).replaceAll("\\s+", " ").strip();
    }
}
