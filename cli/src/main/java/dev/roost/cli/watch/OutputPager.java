package dev.roost.cli.watch;

import dev.roost.cli.terminal.SafeText;
import java.util.ArrayList;
import java.util.List;

/** The last lines of a run's output, and the scroll position. Follows the end until the user scrolls up. */
final class OutputPager {

    private static final int MAX_LINES = 20_000;
    private static final int MAX_LINE = 32_000;

    private final boolean colours;
    private final List<String> lines = new ArrayList<>(List.of(""));
    private boolean following = true;
    private boolean earlier;
    private int line;
    private int row;

    OutputPager(boolean colours) {
        this.colours = colours;
    }

    void append(String text) {
        for (int at = 0; at < text.length(); ) {
            int end = text.indexOf('\n', at);
            add(text.substring(at, end < 0 ? text.length() : end));
            if (end < 0) break;
            lines.add("");
            at = end + 1;
        }
        int over = lines.size() - MAX_LINES;
        if (over <= 0) return;
        lines.subList(0, over).clear();
        line = Math.max(0, line - over);
        earlier = true;
    }

    private void add(String text) {
        var last = lines.removeLast() + text;
        for (; last.length() > MAX_LINE; last = last.substring(MAX_LINE)) lines.add(last.substring(0, MAX_LINE));
        lines.add(last);
    }

    /** Earlier output is not kept. */
    void markTruncated() {
        earlier = true;
    }

    boolean following() {
        return following;
    }

    boolean contains(String text) {
        return String.join("\n", lines).contains(text);
    }

    boolean isEmpty() {
        return lines.size() == 1 && lines.getFirst().isEmpty();
    }

    void follow() {
        following = true;
    }

    void first() {
        following = false;
        line = 0;
        row = 0;
    }

    /** Moves down by {@code rows}; follows the output again at its end. */
    void move(int rows, int height, int width) {
        if (following) {
            if (rows >= 0) return;
            toEnd(height, width);
        }
        following = false;
        for (int i = rows; i < 0; i++) up(width);
        for (int i = 0; i < rows; i++) down(width);
        int wasLine = line;
        int wasRow = row;
        toEnd(height, width);
        if (wasLine > line || (wasLine == line && wasRow >= row)) {
            following = rows > 0;
        } else {
            line = wasLine;
            row = wasRow;
        }
    }

    private void up(int width) {
        if (row > 0) row--;
        else if (line > 0) row = wrapped(--line, width).size() - 1;
    }

    private void down(int width) {
        if (row + 1 < wrapped(line, width).size()) row++;
        else if (line + 1 < count()) {
            line++;
            row = 0;
        }
    }

    /** The number of lines, without an empty last one. */
    private int count() {
        return lines.size() > 1 && lines.getLast().isEmpty() ? lines.size() - 1 : lines.size();
    }

    private void toEnd(int height, int width) {
        line = count();
        row = 0;
        for (int left = height; left > 0 && line > 0; ) {
            int rows = wrapped(--line, width).size();
            row = Math.max(0, rows - left);
            left -= rows;
        }
    }

    private List<String> wrapped(int at, int width) {
        return SafeText.wrap(SafeText.safe(lines.get(at), colours), width);
    }

    /** The visible rows; wraps only these. */
    List<String> rows(int height, int width) {
        if (following) toEnd(height, width);
        var rows = new ArrayList<String>();
        for (int at = line; at < count() && rows.size() < height; at++) {
            var wrapped = wrapped(at, width);
            int from = at == line ? Math.min(row, wrapped.size() - 1) : 0;
            rows.addAll(wrapped.subList(from, wrapped.size()));
        }
        return rows.size() > height ? rows.subList(0, height) : rows;
    }

    /** Whether the first kept line is visible and earlier output was dropped. */
    boolean isTruncated() {
        return earlier && line == 0 && row == 0;
    }
}
