package dev.roost.cli.view;

import dev.roost.cli.client.Style;
import dev.roost.cli.terminal.SafeText;
import java.util.ArrayList;
import java.util.List;

/** A table whose columns are as wide as their longest cell. */
public final class TextTable {

    private static final int NARROWEST_LAST = 4;

    private TextTable() {}

    public static void print(List<List<String>> rows) {
        lines(rows, Integer.MAX_VALUE).forEach(System.out::println);
    }

    /** Lays the rows out; the last column gets the rest of {@code width}. */
    public static List<String> lines(List<List<String>> rows, int width) {
        int last = rows.getFirst().size() - 1;
        int[] widths = new int[last];
        int room = width;
        for (int i = 0; i < last; i++) {
            for (var row : rows) widths[i] = Math.max(widths[i], shown(row.get(i)) + 2);
            room -= widths[i];
        }
        var lines = new ArrayList<String>();
        for (var row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < last; i++) line.append(Style.pad(row.get(i), widths[i]));
            line.append(Style.fitLine(row.get(last), Math.max(NARROWEST_LAST, room)));
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    /** The width left for the last column. */
    static int room(List<List<String>> rows, int width) {
        int room = width;
        for (int i = 0; i < rows.getFirst().size() - 1; i++) {
            int column = i;
            room -= rows.stream()
                    .mapToInt(row -> shown(row.get(column)) + 2)
                    .max()
                    .orElse(0);
        }
        return room;
    }

    private static int shown(String text) {
        return SafeText.width(text);
    }
}
