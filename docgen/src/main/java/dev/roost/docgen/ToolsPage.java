package dev.roost.docgen;

import dev.roost.daemon.mcp.Dialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** tools.md: the tools of each dialect, as the daemon serves them. */
final class ToolsPage {

    private ToolsPage() {}

    static String text() {
        var text = new StringBuilder("""
                # Tools for models

                `roost mcp` serves these over standard input and output, `POST /mcp` over HTTP. `--dialect` (or `?dialect=`) chooses the names: the same
                operations, under names that a harness's model already knows. Every reply has `run_id`, `status`, `phase` and `cause`, and `session_id` once it is
                known. Unknown fields are refused by name.

                """);
        for (var name : Dialect.names()) {
            var dialect = Dialect.of(Optional.of(name));
            text.append("## Dialect %s\n\n".formatted(name));
            text.append("Instructions for the model:\n\n> %s\n\n"
                    .formatted(Markdown.plain(dialect.instructions()).strip().replace("\n", "\n> ")));
            for (var tool : dialect.list()) text.append(tool(tool));
        }
        return text.toString();
    }

    private static String tool(JsonNode tool) {
        var schema = tool.path("inputSchema");
        var required = new ArrayList<String>();
        schema.path("required").forEach(one -> required.add(one.asString()));
        var rows = new ArrayList<List<String>>();
        schema.path("properties")
                .properties()
                .forEach(field -> rows.add(List.of(
                        Markdown.code(field.getKey()) + (required.contains(field.getKey()) ? " (required)" : ""),
                        type(field.getValue()),
                        Markdown.code(field.getValue().path("default").asString("")),
                        Markdown.plain(field.getValue().path("description").asString("")))));
        return "### %s\n\n%s\n\n"
                        .formatted(
                                tool.path("name").asString(),
                                Markdown.plain(tool.path("description").asString())
                                        .strip())
                + (rows.isEmpty() ? "" : Markdown.table(List.of("field", "type", "default", "meaning"), rows));
    }

    private static String type(JsonNode field) {
        if (field.has("enum")) return words(field.path("enum"), " or ", true);
        return field.path("type").isArray()
                ? words(field.path("type"), " or ", false)
                : field.path("type").asString(words(field.path("anyOf"), " or ", false));
    }

    private static String words(JsonNode list, String between, boolean code) {
        var words = new ArrayList<String>();
        list.forEach(one -> {
            var word = one.isObject() ? type(one) : one.asString();
            words.add(code ? Markdown.code(word) : word);
        });
        return String.join(between, words);
    }
}
