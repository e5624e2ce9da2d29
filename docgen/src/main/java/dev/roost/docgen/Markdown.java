package dev.roost.docgen;

import java.util.List;
import java.util.stream.Collectors;

/** Formats tables and text as Markdown. */
final class Markdown {

    private Markdown() {}

    static String table(List<String> heads, List<List<String>> rows) {
        var text = new StringBuilder();
        text.append(line(heads)).append(line(heads.stream().map(head -> "---").toList()));
        rows.forEach(row -> text.append(line(row)));
        return text.append('\n').toString();
    }

    private static String line(List<String> cells) {
        return cells.stream()
                .map(cell -> cell.replace("|", "\\|").replace("\n", " ").strip())
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    static String code(String text) {
        return text.isEmpty() ? "" : "`" + text + "`";
    }

    /** Escapes angle brackets, which would be read as HTML. */
    static String plain(String text) {
        return text.replace("<", "&lt;").replace(">", "&gt;");
    }

    static String fenced(String language, String text) {
        return "```%s\n%s\n```\n\n".formatted(language, text.stripTrailing());
    }
}
