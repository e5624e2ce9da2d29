package dev.roost.cli.edit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The difference between two texts, line by line, as {@code diff -u} shows it (Myers' algorithm). */
public final class TextDiff {

    private static final int CONTEXT = 3;

    /** {@code mark}: ' ' in both, '-' only before, '+' only after, '@' a heading. */
    public record Line(char mark, String text) {}

    private final List<String> before;
    private final List<String> after;

    private TextDiff(List<String> before, List<String> after) {
        this.before = before;
        this.after = after;
    }

    public static List<Line> of(String before, String after) {
        return new TextDiff(lines(before), lines(after)).hunks();
    }

    /** As a program would print it, with headings for the two files. */
    public static String unified(String path, String before, String after) {
        var shown = new StringBuilder("--- %s\n+++ %s\n".formatted(path, path));
        for (var line : of(before, after))
            shown.append(line.mark() == '@' ? "" : line.mark())
                    .append(line.text())
                    .append('\n');
        return shown.toString();
    }

    private static List<String> lines(String text) {
        if (text.isEmpty()) return List.of();
        var lines = new ArrayList<>(List.of(text.split("\n", -1)));
        if (lines.getLast().isEmpty()) lines.removeLast();
        else lines.set(lines.size() - 1, lines.getLast() + "\n\\ No newline at end of file");
        return lines;
    }

    private List<Line> hunks() {
        var all = script();
        var shown = new ArrayList<Line>();
        int oldLine = 1;
        int newLine = 1;
        for (int i = 0; i < all.size(); ) {
            int end = hunkEnd(all, i);
            if (end == i) {
                oldLine++;
                newLine++;
                i++;
                continue;
            }
            var hunk = all.subList(i, end);
            int olds = (int) hunk.stream().filter(line -> line.mark() != '+').count();
            int news = (int) hunk.stream().filter(line -> line.mark() != '-').count();
            shown.add(new Line(
                    '@',
                    "@@ -%d,%d +%d,%d @@"
                            .formatted(
                                    olds == 0 ? oldLine - 1 : oldLine, olds, news == 0 ? newLine - 1 : newLine, news)));
            shown.addAll(hunk);
            oldLine += olds;
            newLine += news;
            i = end;
        }
        return shown;
    }

    /** Where the hunk ends that begins at {@code from}; {@code from} itself if none does. */
    private static int hunkEnd(List<Line> all, int from) {
        int end = from;
        int reach = from + CONTEXT;
        for (int i = from; i < all.size() && i <= reach; i++) {
            if (all.get(i).mark() == ' ') continue;
            end = Math.min(all.size(), i + 1 + CONTEXT);
            reach = i + 2 * CONTEXT;
        }
        return end;
    }

    /** What both begin and end with is left out of the search, which takes memory by the lines. */
    private List<Line> script() {
        int shorter = Math.min(before.size(), after.size());
        int head = 0;
        while (head < shorter && before.get(head).equals(after.get(head))) head++;
        int tail = 0;
        while (tail < shorter - head && before.get(before.size() - 1 - tail).equals(after.get(after.size() - 1 - tail)))
            tail++;
        var middle = new TextDiff(before.subList(head, before.size() - tail), after.subList(head, after.size() - tail));
        var script = new ArrayList<Line>();
        for (var line : before.subList(0, head)) script.add(new Line(' ', line));
        script.addAll(middle.search());
        for (var line : before.subList(before.size() - tail, before.size())) script.add(new Line(' ', line));
        return script;
    }

    private List<Line> search() {
        var trace = new ArrayList<int[]>();
        int most = before.size() + after.size();
        int[] furthest = new int[2 * most + 3];
        for (int d = 0; d <= most; d++) {
            trace.add(furthest.clone());
            for (int k = -d; k <= d; k += 2) {
                int x = down(furthest, k, d, most) ? furthest[most + k + 2] : furthest[most + k] + 1;
                while (x < before.size()
                        && x - k < after.size()
                        && before.get(x).equals(after.get(x - k))) x++;
                furthest[most + k + 1] = x;
                if (x >= before.size() && x - k >= after.size()) return walkBack(trace, most);
            }
        }
        throw new IllegalStateException("two texts always differ in at most all their lines");
    }

    private static boolean down(int[] furthest, int k, int d, int most) {
        return k == -d || (k != d && furthest[most + k] < furthest[most + k + 2]);
    }

    private List<Line> walkBack(List<int[]> trace, int most) {
        var script = new ArrayDeque<Line>();
        int x = before.size();
        int y = after.size();
        for (int d = trace.size() - 1; d >= 0; d--) {
            int k = x - y;
            boolean added = down(trace.get(d), k, d, most);
            int fromK = added ? k + 1 : k - 1;
            int fromX = trace.get(d)[most + fromK + 1];
            while (x > 0 && y > 0 && (x > fromX || d == 0) && (y > fromX - fromK || d == 0)) {
                script.addFirst(new Line(' ', before.get(--x)));
                y--;
            }
            if (d == 0) break;
            if (added) script.addFirst(new Line('+', after.get(--y)));
            else script.addFirst(new Line('-', before.get(--x)));
        }
        return List.copyOf(script);
    }
}
