package dev.roost.cli.view;

import dev.roost.cli.client.Style;
import dev.roost.cli.terminal.SafeText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A table whose columns are as wide as their longest cell. */
public final class TextTable {

    private static final int NARROWEST_LAST = 4;

    private TextTable() {}

    public static void print(List<List<String>> rows) {
        lines(rows, Integer.MAX_VALUE).forEach(System.out::println);
    }

    /** A row of headings. */
    public static List<String> head(String... names) {
        return Stream.of(names).map(Style::dim).toList();
    }

    /** Lays the rows out; the last column gets the rest of {@code width}. */
    public static List<String> lines(List<List<String>> rows, int width) {
        var widths = widths(rows);
        int room = Math.max(NARROWEST_LAST, room(rows, width));
        var lines = new ArrayList<String>();
        for (var row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) line.append(Style.pad(row.get(i), widths[i]));
            line.append(Style.fitLine(row.getLast(), room));
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    /** The width left for the last column. */
    static int room(List<List<String>> rows, int width) {
        return width - IntStream.of(widths(rows)).sum();
    }

    /** The widths of all columns but the last one. */
    private static int[] widths(List<List<String>> rows) {
        var widths = new int[rows.getFirst().size() - 1];
        for (var row : rows)
            for (int i = 0; i < widths.length; i++) widths[i] = Math.max(widths[i], SafeText.width(row.get(i)) + 2);
        return widths;
    }
}
