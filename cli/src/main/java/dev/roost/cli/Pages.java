package dev.roost.cli;

import dev.roost.cli.terminal.Ink;
import dev.roost.cli.terminal.LineEditor;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** The board on a screen: a page, what is asked or was said, and the keys. Lays out only what is seen. */
final class Pages {

    private static final int AROUND_THE_LIST = 3; // counts, heads of the columns, keys

    private Pages() {}

    static List<String> lines(Board board) {
        var size = board.size();
        var page = board.helping()
                ? HelpPage.lines()
                : board.opened().isPresent() ? RunPage.lines(board) : ListPage.lines(board);
        var foot = foot(board);
        int room = Math.max(0, size.rows() - foot.size());
        var lines = new ArrayList<>(page.subList(0, Math.min(room, page.size())));
        while (lines.size() < room) lines.add("");
        lines.addAll(foot.subList(Math.max(0, foot.size() - size.rows()), foot.size()));
        lines.replaceAll(line -> Ink.fit(line, size.columns()));
        return lines;
    }

    static int listHeight(Board board) {
        return Math.max(1, board.size().rows() - AROUND_THE_LIST - asked(board).size());
    }

    static int outputHeight(Board board) {
        int head = RunPage.head(board).size();
        return Math.max(1, board.size().rows() - 1 - asked(board).size() - head);
    }

    private static List<String> foot(Board board) {
        var foot = new ArrayList<>(asked(board));
        foot.add(Style.dim(Ink.fit(keys(board), board.size().columns())));
        return foot;
    }

    /** What the board asks, or has to say. */
    private static List<String> asked(Board board) {
        int width = board.size().columns();
        var lines = new ArrayList<String>();
        switch (board.prompt()) {
            case Prompt.None _ -> {
                if (!board.said().isEmpty()) lines.add(Style.yellow(Ink.fit(Style.safe(board.said()), width)));
            }
            case Prompt.Stop(var id, var title) ->
                lines.add(Style.red(Ink.fit("Stop %s (%s)? y/n".formatted(title, id), width)));
            case Prompt.Permission permission -> {
                lines.addAll(question(permission.title() + " asks for permission: ", permission.question(), board));
                lines.add(Style.bold("y = allow   n = deny   Esc = later"));
            }
            case Prompt.Message(var _, var title, var question, var line) -> {
                boolean asks = !question.isMissingNode();
                if (asks) lines.addAll(question(title + " asks: ", question, board));
                lines.add(typing((asks ? "answer " : "to ") + Style.fit(title, width / 3) + ": ", line, width));
            }
            case Prompt.Filter(var line) -> lines.add(typing("/", line, width));
        }
        return lines;
    }

    private static String typing(String label, LineEditor line, int width) {
        return Style.bold(label) + line.shown(Math.max(4, width - Ink.width(label)));
    }

    /** Whole as far as there is room, with nothing hidden in it: somebody decides on it. */
    private static List<String> question(String label, JsonNode asked, Board board) {
        var text = asked.path("text").asString("");
        int width = board.size().columns();
        int most = Math.max(1, board.size().rows() / 2 - 1);
        var lines = new ArrayList<String>();
        for (var line : (label + text).split("\n", -1))
            lines.addAll(Ink.wrap(Style.visible(line).replace("\t", "    "), width));
        if (lines.size() > most) {
            lines.subList(most, lines.size()).clear();
            lines.set(most - 1, Ink.fit("… there is more: see roost show before you answer", width));
        }
        return lines.stream().map(Style::yellow).toList();
    }

    private static String keys(Board board) {
        boolean narrow = board.size().columns() < 80;
        return switch (board.place()) {
            case HELP -> "any key: back";
            case QUESTION -> "y yes  n no  Esc back";
            case LINE -> "Enter ok  Esc back";
            case LIST ->
                narrow
                        ? "⏎ open  s stop  m send  ? help  q quit"
                        : "⏎ open   s stop   m send/answer   / filter   a all   o owner   ? help   q quit";
            case RUN ->
                narrow
                        ? "q back  s stop  m send  F follow  ? help"
                        : "q back   s stop   m send/answer   PgUp/PgDn scroll   F follow   ? help";
        };
    }
}
