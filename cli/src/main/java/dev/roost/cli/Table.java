package dev.roost.cli;

import java.util.List;
import java.util.regex.Pattern;

/** Columns as wide as they need to be. */
final class Table {

    private static final Pattern ESCAPES = Pattern.compile("\033\\[[0-9;]*m");

    private Table() {}

    static void print(List<List<String>> rows) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (var row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(
                        widths[i], ESCAPES.matcher(row.get(i)).replaceAll("").length());
            }
        }
        for (var row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(i == columns - 1 ? row.get(i) : Style.pad(row.get(i), widths[i] + 2));
            }
            System.out.println(line.toString().stripTrailing());
        }
    }
}
