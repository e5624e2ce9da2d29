package dev.roost.cli.watch;

import dev.roost.cli.client.Style;
import dev.roost.cli.terminal.LineEditor;
import dev.roost.cli.terminal.SafeText;
import dev.roost.cli.view.RunEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Renders the model: a page, the prompt or message, and the keys. Lays out only visible rows. */
final class WatchView {

    private static final int OTHER_LINES = 3; // counts, column heads, keys
    private static final String HELP = """
        ↑ ↓ j k      a row up or down
        PgUp PgDn    a screen (Space, b)
        g G          first, last
        Enter l →    open the run
        q Esc ←      back; in the list: quit
        s            stop the run (asks first)
        m            send it a message, or
               answer its question
        /      filter by words
        a      all, or live and unread
        o      next owner's runs only
        F End        follow the output again
        Ctrl-L       repaint
        Ctrl-Z       suspend; fg comes back
        Ctrl-C       quit
        """;

    private WatchView() {}

    static List<String> lines(WatchModel model) {
        var size = model.size;
        var page = model.help ? help() : model.opened.isPresent() ? RunView.lines(model) : RunListView.lines(model);
        var foot = promptLines(model);
        foot.add(Style.dim(SafeText.fit(keys(model), size.columns())));
        int room = Math.max(0, size.rows() - foot.size());
        var lines = new ArrayList<>(page.subList(0, Math.min(room, page.size())));
        while (lines.size() < room) lines.add("");
        lines.addAll(foot.subList(Math.max(0, foot.size() - size.rows()), foot.size()));
        lines.replaceAll(line -> SafeText.fit(line, size.columns()));
        return lines;
    }

    private static List<String> help() {
        return Stream.concat(Stream.of(Style.bold("roost ps --watch: keys")), HELP.lines())
                .toList();
    }

    static int listHeight(WatchModel model) {
        return Math.max(1, model.size.rows() - OTHER_LINES - promptLines(model).size());
    }

    static int outputHeight(WatchModel model) {
        int head = RunView.head(model).size();
        return Math.max(1, model.size.rows() - 1 - promptLines(model).size() - head);
    }

    /** The prompt, else the status message. */
    private static List<String> promptLines(WatchModel model) {
        int width = model.size.columns();
        var lines = new ArrayList<String>();
        if (model.prompt.isEmpty()) {
            if (!model.statusMessage.isEmpty())
                lines.add(Style.yellow(SafeText.fit(Style.safe(model.statusMessage), width)));
            return lines;
        }
        switch (model.prompt.get()) {
            case InputPrompt.Stop(var run) ->
                lines.add(Style.red(SafeText.fit("Stop %s (%s)? y/n".formatted(run.title(), run.id()), width)));
            case InputPrompt.Permission(var run) -> {
                lines.addAll(question(" asks for permission: ", run, model));
                lines.add(Style.bold("y = allow   n = deny   Esc = later"));
            }
            case InputPrompt.Message(var run, var line) -> {
                if (run.has("question")) lines.addAll(question(" asks: ", run, model));
                var label = (run.has("question") ? "answer " : "to ") + Style.fit(run.title(), width / 3);
                lines.add(typing(label + ": ", line, width));
            }
            case InputPrompt.Filter(var line) -> lines.add(typing("/", line, width));
        }
        return lines;
    }

    private static String typing(String label, LineEditor line, int width) {
        return Style.bold(label) + line.shown(Math.max(4, width - SafeText.width(label)));
    }

    /** The question with control characters escaped, since the user decides on it; cut at half of the screen. */
    private static List<String> question(String verb, RunEntry run, WatchModel model) {
        var text = run.title() + verb + run.question().path("text").asString("");
        int width = model.size.columns();
        int maxLines = Math.max(1, model.size.rows() / 2 - 1);
        var lines = new ArrayList<String>();
        for (var line : text.split("\n", -1))
            lines.addAll(SafeText.wrap(Style.visible(line).replace("\t", "    "), width));
        if (lines.size() > maxLines) {
            lines.subList(maxLines, lines.size()).clear();
            lines.set(maxLines - 1, SafeText.fit("… cut off: read all of it with roost show before you answer", width));
        }
        return lines.stream().map(Style::yellow).toList();
    }

    private static String keys(WatchModel model) {
        boolean narrow = model.size.columns() < 80;
        return switch (model.context()) {
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
