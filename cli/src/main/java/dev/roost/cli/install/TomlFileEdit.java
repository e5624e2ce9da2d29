package dev.roost.cli.install;

import dev.roost.cli.edit.NotEditable;
import dev.roost.cli.edit.TomlDocumentEdit;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A table of Roost's in a TOML file, marked by a comment above it. It ends where the next table begins, since other programs may
 * add tables after it; its subtables are removed with it.
 *
 * @param words the command of the MCP server, as the lines have it
 */
record TomlFileEdit(Path file, List<String> name, String mark, List<String> lines, List<String> words)
        implements HarnessFileEdit {

    /** The names of all tables. */
    static List<List<String>> tables(String text) {
        return TomlDocumentEdit.of(text).stream()
                .map(TomlDocumentEdit.Part::table)
                .toList();
    }

    @Override
    public boolean isComplete(String text) {
        var all = text.lines().map(String::strip).toList();
        return TomlDocumentEdit.of(text).stream()
                .filter(part -> part.table().equals(name))
                .findFirst()
                .filter(part -> all.subList(part.heading() + 1, part.end()).containsAll(lines))
                .isPresent();
    }

    @Override
    public boolean isPresentIn(String text) {
        var all = text.lines().map(String::strip).toList();
        return TomlDocumentEdit.of(text).stream()
                .anyMatch(part -> part.table().equals(name)
                        && part.heading() > 0
                        && all.get(part.heading() - 1).equals(mark));
    }

    @Override
    public String addTo(String text) {
        var without = isPresentIn(text) ? removeFrom(text, Optional.empty()) : text;
        if (isTakenIn(without))
            throw NotEditable.because("has %s already, and Roost did not write it".formatted(String.join(".", name)));
        String newline = without.contains("\r\n") ? "\r\n" : "\n";
        var all = new StringBuilder(without);
        if (!without.isEmpty() && !without.endsWith("\n")) all.append(newline);
        if (!without.isBlank()) all.append(newline);
        all.append(mark).append(newline);
        all.append("[%s]".formatted(String.join(".", name))).append(newline);
        for (var line : lines) all.append(line).append(newline);
        return all.toString();
    }

    /** Whether a table or key has this name, is below it, or conflicts with it. */
    private boolean isTakenIn(String text) {
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

    @Override
    public String removeFrom(String text, Optional<String> original) {
        var all = List.of(text.split("(?<=\n)", -1));
        var dropped = new BitSet();
        for (var part : TomlDocumentEdit.of(text)) {
            if (!isBelow(part.table())) continue;
            int from = part.heading();
            if (from > 0 && all.get(from - 1).strip().equals(mark)) from--;
            if (from > 0 && all.get(from - 1).isBlank()) from--;
            dropped.set(from, part.end());
        }
        return IntStream.range(0, all.size())
                .filter(i -> !dropped.get(i))
                .mapToObj(all::get)
                .collect(Collectors.joining());
    }
}
