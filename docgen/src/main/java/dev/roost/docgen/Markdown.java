package dev.roost.docgen;

import java.util.List;
import java.util.stream.Collectors;

/** Tables and words as Markdown wants them. */
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

    /** Words in angle brackets would be taken for HTML. */
    static String plain(String text) {
        return text.replace("<", "&lt;").replace(">", "&gt;");
    }

    static String fenced(String language, String text) {
        return "```%s\n%s\n```\n\n".formatted(language, text.stripTrailing());
    }
}
