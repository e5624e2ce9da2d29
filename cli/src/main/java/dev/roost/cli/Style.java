package dev.roost.cli;

import dev.roost.cli.terminal.Ink;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Colours and live lines: on a terminal only. */
final class Style {

    static final boolean TERMINAL = Boolean.getBoolean("roost.terminal");
    static final boolean TERMINAL_INPUT = Boolean.getBoolean("roost.terminal.input");
    static final boolean COLOUR = TERMINAL && System.getenv("NO_COLOR") == null;

    private Style() {}

    static int columns() {
        return Integer.getInteger("roost.columns", 100);
    }

    private static String paint(String code, String text) {
        return COLOUR ? "\033[" + code + "m" + text + "\033[0m" : text;
    }

    static String red(String text) {
        return paint("31", text);
    }

    static String green(String text) {
        return paint("32", text);
    }

    static String yellow(String text) {
        return paint("33", text);
    }

    static String blue(String text) {
        return paint("36", text);
    }

    static String dim(String text) {
        return paint("2", text);
    }

    static String bold(String text) {
        return paint("1", text);
    }

    static String status(String status, String shown) {
        return switch (status) {
            case "running" -> blue(shown);
            case "queued" -> dim(shown);
            case "completed", "completed_empty" -> green(shown);
            case "canceled_by_user" -> yellow(shown);
            default -> red(shown);
        };
    }

    /** What an agent wrote must not steer the terminal of whoever lists it. */
    static String safe(String text) {
        var safe = new StringBuilder();
        text.codePoints().forEach(c -> {
            boolean plain = c == '\n' || c == '\t' || Ink.isJoiner(c) || !Ink.steers(c);
            safe.appendCodePoint(plain ? c : 0xfffd);
        });
        return safe.toString();
    }

    /** Every character that a terminal would not show as itself is spelled out: nothing can hide in it. */
    static String visible(String text) {
        var shown = new StringBuilder();
        text.codePoints().forEach(c -> {
            boolean plain = c == '\t' || !Ink.steers(c);
            shown.append(plain ? Character.toString(c) : String.format(Locale.ROOT, "\\u%04x", c));
        });
        return shown.toString();
    }

    /** At most {@code width} columns of a text without colours. */
    static String fit(String text, int width) {
        return width < 4 ? text : Ink.fit(text, width);
    }

    /** In lines of at most {@code width} where words allow it; a longer word has a line of its own. */
    static List<String> wrap(String text, int width) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (var word : safe(text).strip().split("\\s+", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    static String pad(String text, int width) {
        return Ink.pad(text, width);
    }

    /** Like {@link #fit}, for a line that has colours. */
    static String fitLine(String line, int width) {
        return Ink.fit(line, width);
    }

    /** The line of many that is chosen. */
    static String chosen(String line) {
        return COLOUR ? Ink.reverse(line) : line;
    }
}
