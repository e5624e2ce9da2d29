package dev.roost.cli.edit;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.util.ArrayList;
import java.util.List;

/** The difference between two texts, line by line, as {@code diff -u} shows it. */
public final class TextDiff {

    private static final int CONTEXT = 3;
    private static final int HEADINGS = 2;

    private TextDiff() {}

    /** The hunks. A line begins with {@code ' '}, {@code '-'} or {@code '+'}, the heading of a hunk with {@code '@'}. */
    public static List<String> hunks(String before, String after) {
        return unified("", before, after).stream().skip(HEADINGS).toList();
    }

    /** The headings for the two files, then the hunks. */
    public static List<String> unified(String path, String before, String after) {
        var lines = lines(before);
        return UnifiedDiffUtils.generateUnifiedDiff(path, path, lines, DiffUtils.diff(lines, lines(after)), CONTEXT)
                .stream()
                .map(TextDiff::withEmptySide)
                .toList();
    }

    /** The library numbers the lines of an empty text from 1; {@code diff} and {@code patch} number them from 0. */
    private static String withEmptySide(String line) {
        return line.startsWith("@@") ? line.replace(" -1,0 ", " -0,0 ").replace(" +1,0 ", " +0,0 ") : line;
    }

    private static List<String> lines(String text) {
        if (text.isEmpty()) return List.of();
        var lines = new ArrayList<>(List.of(text.split("\n", -1)));
        if (lines.getLast().isEmpty()) lines.removeLast();
        else lines.set(lines.size() - 1, lines.getLast() + "\n\\ No newline at end of file");
        return lines;
    }
}
