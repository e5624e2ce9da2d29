package dev.roost.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text that is safe for a terminal. An agent's text keeps its colours; all other control sequences are displayed and have no
 * effect.
 */
public final class SafeText {

    private static final Pattern COLOUR = Pattern.compile("\033\\[[0-9;]{0,40}m");
    private static final Pattern RESET = Pattern.compile("\033\\[0?m");
    private static final String PLAIN = "\033[0m";
    private static final int TAB = 8;
    private static final int MAX_STYLES = 12; // more at once are not plausible

    private SafeText() {}

    /** The width of a line in columns, without its colours. */
    public static int width(String line) {
        return DisplayWidth.of(
                line.indexOf('\033') < 0 ? line : COLOUR.matcher(line).replaceAll(""));
    }

    /** Makes an agent's line safe: keeps colours if wanted, expands tabs. */
    public static String safe(String line, boolean colours) {
        var text = afterOverwriting(line);
        var shown = new StringBuilder();
        var colour = COLOUR.matcher(text);
        int column = 0;
        for (int at = 0; at < text.length(); ) {
            int c = text.codePointAt(at);
            if (c == '\033' && colour.region(at, text.length()).lookingAt()) {
                if (colours) shown.append(colour.group());
                at = colour.end();
                continue;
            }
            at += Character.charCount(c);
            if (c == '\t') {
                int spaces = TAB - column % TAB;
                shown.append(" ".repeat(spaces));
                column += spaces;
            } else if (!isJoiner(c)) {
                int shape = visible(c);
                shown.appendCodePoint(shape);
                column += DisplayWidth.of(shape);
            }
        }
        return shown.toString();
    }

    /** Keeps only the text after the last carriage return, as of a progress bar, and a mark for the return. */
    private static String afterOverwriting(String line) {
        int end = line.length();
        while (end > 0 && line.charAt(end - 1) == '\r') end--;
        int begin = line.lastIndexOf('\r', end - 1) + 1;
        return begin == 0 ? line.substring(0, end) : line.substring(begin - 1, end);
    }

    /** Emoji joiners and modifiers, which are dropped: the width of combined emoji differs between terminals. */
    public static boolean isJoiner(int c) {
        return c == 0x200d || c == 0x200c || (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0x1f3fb && c <= 0x1f3ff);
    }

    /** Whether the character controls the terminal or changes its neighbours. */
    public static boolean steers(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    private static int visible(int c) {
        if (c < 0x20) return 0x2400 + c;
        if (c == 0x7f) return 0x2421;
        boolean unshown = Character.getType(c) == Character.SURROGATE || Character.getType(c) == Character.PRIVATE_USE;
        return steers(c) || unshown ? 0xfffd : c;
    }

    /** Wraps a safe line into rows of at most {@code columns}; each row sets and resets its own colours. */
    public static List<String> wrap(String line, int columns) {
        var rows = new ArrayList<String>();
        var row = new StringBuilder();
        var styles = new ArrayList<String>();
        var colour = COLOUR.matcher(line);
        int column = 0;
        for (int at = 0; at < line.length(); ) {
            int c = line.codePointAt(at);
            if (c == '\033' && colour.region(at, line.length()).lookingAt()) {
                note(styles, colour);
                row.append(colour.group());
                at = colour.end();
                continue;
            }
            int width = DisplayWidth.of(c);
            if (column + width > columns && column > 0) {
                rows.add(ended(row, styles));
                row = new StringBuilder(String.join("", styles));
                column = 0;
            }
            row.appendCodePoint(c);
            column += width;
            at += Character.charCount(c);
        }
        rows.add(ended(row, styles));
        return rows;
    }

    private static void note(List<String> styles, Matcher colour) {
        if (RESET.matcher(colour.group()).matches()) styles.clear();
        else styles.add(colour.group());
        if (styles.size() > MAX_STYLES) styles.removeFirst();
    }

    private static String ended(StringBuilder row, List<String> styles) {
        return styles.isEmpty() ? row.toString() : row + PLAIN;
    }

    /** Cuts a safe line to at most {@code columns}, with an ellipsis. */
    public static String fit(String line, int columns) {
        if (columns <= 0) return "";
        if (width(line) <= columns) return line;
        var cut = new StringBuilder();
        var colour = COLOUR.matcher(line);
        int room = columns - 1;
        boolean full = false;
        for (int at = 0; at < line.length(); ) {
            int c = line.codePointAt(at);
            if (c == '\033' && colour.region(at, line.length()).lookingAt()) {
                cut.append(colour.group());
                at = colour.end();
                continue;
            }
            int width = DisplayWidth.of(c);
            if (!full && width > room) {
                full = true;
                cut.append('…');
            }
            if (!full) {
                cut.appendCodePoint(c);
                room -= width;
            }
            at += Character.charCount(c);
        }
        return cut.toString();
    }

    public static String pad(String line, int columns) {
        int missing = columns - width(line);
        return missing <= 0 ? line : line + " ".repeat(missing);
    }

    /** The line in reverse, colours included. */
    public static String reverse(String line) {
        return "\033[7m" + RESET.matcher(line).replaceAll("\033[0;7m") + PLAIN;
    }
}
