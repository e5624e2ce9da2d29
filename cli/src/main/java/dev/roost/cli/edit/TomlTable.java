package dev.roost.cli.edit;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A table of Roost's in a TOML text, marked by a comment above it. It ends where the next table begins, since other programs may
 * add tables after it; its subtables are removed with it.
 */
public record TomlTable(List<String> name, String mark, List<String> lines) {

    /** The names of all tables. */
    public static List<List<String>> names(String text) {
        return TomlDocumentEdit.of(text).stream()
                .map(TomlDocumentEdit.Part::table)
                .toList();
    }

    public String append(String text) {
        String newline = text.contains("\r\n") ? "\r\n" : "\n";
        var all = new StringBuilder(text);
        if (!text.isEmpty() && !text.endsWith("\n")) all.append(newline);
        if (!text.isBlank()) all.append(newline);
        all.append(mark).append(newline);
        all.append("[%s]".formatted(String.join(".", name))).append(newline);
        for (var line : lines) all.append(line).append(newline);
        return all.toString();
    }

    /** Whether the table is there with all of its lines. */
    public boolean isIn(String text) {
        var all = text.lines().map(String::strip).toList();
        var part = TomlDocumentEdit.of(text).stream()
                .filter(one -> one.table().equals(name))
                .findFirst();
        return part.isPresent()
                && all.subList(part.get().heading() + 1, part.get().end()).containsAll(lines);
    }

    public boolean isOursIn(String text) {
        var all = text.lines().map(String::strip).toList();
        return TomlDocumentEdit.of(text).stream()
                .anyMatch(part -> part.table().equals(name)
                        && part.heading() > 0
                        && all.get(part.heading() - 1).equals(mark));
    }

    /** Whether a table or key has this name, is below it, or conflicts with it. */
    public boolean isTakenIn(String text) {
        return TomlDocumentEdit.of(text).stream()
                .anyMatch(part -> isBelow(part.table()) || part.keys().stream().anyMatch(this::isTakenBy));
    }

    private boolean isTakenBy(List<String> key) {
        return isBelow(key)
                || (key.size() < name.size() && name.subList(0, key.size()).equals(key));
    }

    private boolean isBelow(List<String> other) {
        return other.size() >= name.size() && other.subList(0, name.size()).equals(name);
    }

    public String remove(String text) {
        var all = List.of(text.split("(?<=\n)", -1));
        var dropped = new BitSet();
        for (var part : TomlDocumentEdit.of(text)) {
            if (!isBelow(part.table())) continue;
            int from = part.heading();
            if (from > 0 && all.get(from - 1).strip().equals(mark)) from--;
            if (from > 0 && all.get(from - 1).isBlank()) from--;
            dropped.set(from, part.end());
        }
        var kept = new ArrayList<String>();
        for (int i = 0; i < all.size(); i++) if (!dropped.get(i)) kept.add(all.get(i));
        return String.join("", kept);
    }
}
