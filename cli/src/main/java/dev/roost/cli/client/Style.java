package dev.roost.cli.client;

import dev.roost.cli.terminal.SafeText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Colours and text fitting; colours on a terminal only. */
public final class Style {

    public static final boolean TERMINAL = Boolean.getBoolean("roost.terminal");
    public static final boolean TERMINAL_INPUT = Boolean.getBoolean("roost.terminal.input");
    public static final boolean COLOUR = TERMINAL && System.getenv("NO_COLOR") == null;

    private Style() {}

    public static int columns() {
        return Integer.getInteger("roost.columns", 100);
    }

    private static String paint(String code, String text) {
        return COLOUR ? "\033[" + code + "m" + text + "\033[0m" : text;
    }

    public static String red(String text) {
        return paint("31", text);
    }

    public static String green(String text) {
        return paint("32", text);
    }

    public static String yellow(String text) {
        return paint("33", text);
    }

    public static String blue(String text) {
        return paint("36", text);
    }

    public static String dim(String text) {
        return paint("2", text);
    }

    public static String bold(String text) {
        return paint("1", text);
    }

    public static String status(String status, String shown) {
        return switch (status) {
            case "running" -> blue(shown);
            case "queued" -> dim(shown);
            case "completed", "completed_empty" -> green(shown);
            case "canceled_by_user" -> yellow(shown);
            default -> red(shown);
        };
    }

    /** Replaces control characters, so that an agent's text cannot steer the terminal. */
    public static String safe(String text) {
        var safe = new StringBuilder();
        text.codePoints().forEach(c -> {
            boolean plain = c == '\n' || c == '\t' || SafeText.isJoiner(c) || !SafeText.steers(c);
            safe.appendCodePoint(plain ? c : 0xfffd);
        });
        return safe.toString();
    }

    /** Escapes every character that a terminal does not show as itself, so that no text is hidden. */
    public static String visible(String text) {
        var shown = new StringBuilder();
        text.codePoints().forEach(c -> {
            boolean plain = c == '\t' || !SafeText.steers(c);
            shown.append(plain ? Character.toString(c) : String.format(Locale.ROOT, "\\u%04x", c));
        });
        return shown.toString();
    }

    /** At most {@code width} columns of a text without colours. */
    public static String fit(String text, int width) {
        return width < 4 ? text : SafeText.fit(text, width);
    }

    /** Wraps into lines of at most {@code width}; a longer word gets its own line. */
    public static List<String> wrap(String text, int width) {
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

    public static String pad(String text, int width) {
        return SafeText.pad(text, width);
    }

    /** Like {@link #fit}, for a line that has colours. */
    public static String fitLine(String line, int width) {
        return SafeText.fit(line, width);
    }

    /** Marks the selected line of a list. */
    public static String chosen(String line) {
        return COLOUR ? SafeText.reverse(line) : line;
    }
}
