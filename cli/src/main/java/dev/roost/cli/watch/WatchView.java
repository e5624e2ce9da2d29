package dev.roost.cli.watch;

import dev.roost.cli.client.Style;
import dev.roost.cli.terminal.LineEditor;
import dev.roost.cli.terminal.SafeText;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Renders the model: a page, the prompt or message, and the keys. Lays out only visible rows. */
final class WatchView {

    private static final int OTHER_LINES = 3; // counts, column heads, keys

    private WatchView() {}

    static List<String> lines(WatchModel model) {
        var size = model.size();
        var page = model.helping()
                ? HelpPage.lines()
                : model.opened().isPresent() ? RunView.lines(model) : RunListView.lines(model);
        var foot = foot(model);
        int room = Math.max(0, size.rows() - foot.size());
        var lines = new ArrayList<>(page.subList(0, Math.min(room, page.size())));
        while (lines.size() < room) lines.add("");
        lines.addAll(foot.subList(Math.max(0, foot.size() - size.rows()), foot.size()));
        lines.replaceAll(line -> SafeText.fit(line, size.columns()));
        return lines;
    }

    static int listHeight(WatchModel model) {
        return Math.max(
                1, model.size().rows() - OTHER_LINES - promptLines(model).size());
    }

    static int outputHeight(WatchModel model) {
        int head = RunView.head(model).size();
        return Math.max(1, model.size().rows() - 1 - promptLines(model).size() - head);
    }

    private static List<String> foot(WatchModel model) {
        var foot = new ArrayList<>(promptLines(model));
        foot.add(Style.dim(SafeText.fit(keys(model), model.size().columns())));
        return foot;
    }

    /** The prompt, else the status message. */
    private static List<String> promptLines(WatchModel model) {
        int width = model.size().columns();
        var lines = new ArrayList<String>();
        switch (model.prompt()) {
            case InputPrompt.None _ -> {
                if (!model.statusMessage().isEmpty())
                    lines.add(Style.yellow(SafeText.fit(Style.safe(model.statusMessage()), width)));
            }
            case InputPrompt.Stop(var id, var title) ->
                lines.add(Style.red(SafeText.fit("Stop %s (%s)? y/n".formatted(title, id), width)));
            case InputPrompt.Permission permission -> {
                lines.addAll(question(permission.title() + " asks for permission: ", permission.question(), model));
                lines.add(Style.bold("y = allow   n = deny   Esc = later"));
            }
            case InputPrompt.Message(var _, var title, var question, var line) -> {
                boolean asks = !question.isMissingNode();
                if (asks) lines.addAll(question(title + " asks: ", question, model));
                lines.add(typing((asks ? "answer " : "to ") + Style.fit(title, width / 3) + ": ", line, width));
            }
            case InputPrompt.Filter(var line) -> lines.add(typing("/", line, width));
        }
        return lines;
    }

    private static String typing(String label, LineEditor line, int width) {
        return Style.bold(label) + line.shown(Math.max(4, width - SafeText.width(label)));
    }

    /** The question with control characters escaped, since the user decides on it; cut at half of the screen. */
    private static List<String> question(String label, JsonNode promptLines, WatchModel model) {
        var text = promptLines.path("text").asString("");
        int width = model.size().columns();
        int maxLines = Math.max(1, model.size().rows() / 2 - 1);
        var lines = new ArrayList<String>();
        for (var line : (label + text).split("\n", -1))
            lines.addAll(SafeText.wrap(Style.visible(line).replace("\t", "    "), width));
        if (lines.size() > maxLines) {
            lines.subList(maxLines, lines.size()).clear();
            lines.set(maxLines - 1, SafeText.fit("… cut off: read all of it with roost show before you answer", width));
        }
        return lines.stream().map(Style::yellow).toList();
    }

    private static String keys(WatchModel model) {
        boolean narrow = model.size().columns() < 80;
        return switch (model.place()) {
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
