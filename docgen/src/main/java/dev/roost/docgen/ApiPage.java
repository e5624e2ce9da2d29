package dev.roost.docgen;

import dev.roost.daemon.mcp.Dialect;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** api.md: the daemon's API description, for people. */
final class ApiPage {

    private final JsonNode api;

    private ApiPage(JsonNode api) {
        this.api = api;
    }

    static String text() {
        try (var in =
                Objects.requireNonNull(Dialect.class.getResourceAsStream("/dev/roost/daemon/rest/openapi.json"))) {
            return new ApiPage(new JsonMapper().readTree(in.readAllBytes())).page();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String page() {
        var text = new StringBuilder("# HTTP API\n\n");
        text.append(
                "Paths are below `/api/v1`; `GET /api/v1/openapi.json` serves this description to programs. [api.md](../api.md) shows it in use.\n\n");
        text.append(Markdown.plain(api.path("info").path("description").asString()))
                .append("\n\n");
        for (var path : api.path("paths").properties())
            for (var method : path.getValue().properties())
                if (method.getValue().has("operationId"))
                    text.append(operation(method.getKey(), path.getKey(), method.getValue()));
        text.append("## Errors\n\n`{\"error\": {\"code\", \"message\", \"hint\"}}`, with one of: ")
                .append(api.path("components")
                        .path("responses")
                        .path("Error")
                        .path("description")
                        .asString())
                .append(". The codes are in [errors.md](errors.md).\n\n# Objects\n\n");
        for (var schema : api.path("components").path("schemas").properties())
            text.append(schema(schema.getKey(), schema.getValue()));
        return text.toString();
    }

    private String operation(String method, String path, JsonNode operation) {
        var text = new StringBuilder("## %s %s\n\n%s."
                .formatted(
                        method.toUpperCase(Locale.ROOT),
                        path,
                        operation.path("summary").asString()));
        if (operation.has("description"))
            text.append(" ").append(Markdown.plain(operation.path("description").asString()));
        text.append("\n\n");
        var rows = new ArrayList<List<String>>();
        for (var given : operation.path("parameters")) {
            var field = resolve(given);
            rows.add(List.of(
                    Markdown.code(field.path("name").asString()),
                    field.path("in").asString(),
                    type(field.path("schema")),
                    meaning(field, field.path("schema"))));
        }
        var body = operation
                .path("requestBody")
                .path("content")
                .path("application/json")
                .path("schema");
        if (!body.isMissingNode()) rows.add(List.of("", "body", type(body), ""));
        if (!rows.isEmpty()) text.append(Markdown.table(List.of("field", "in", "type", "meaning"), rows));
        var answers = new ArrayList<List<String>>();
        operation.path("responses").properties().forEach(answer -> {
            if (answer.getKey().equals("default")) return;
            var kinds = new ArrayList<String>();
            answer.getValue()
                    .path("content")
                    .properties()
                    .forEach(one -> kinds.add(
                            one.getValue().has("schema") && !one.getKey().startsWith("text/")
                                    ? type(one.getValue().path("schema"))
                                    : Markdown.code(one.getKey())));
            answers.add(List.of(
                    answer.getKey(),
                    Markdown.plain(
                            resolve(answer.getValue()).path("description").asString()),
                    String.join(" or ", kinds)));
        });
        return text.append(Markdown.table(List.of("answer", "", "body"), answers))
                .toString();
    }

    private String schema(String name, JsonNode schema) {
        var required = new ArrayList<String>();
        schema.path("required").forEach(one -> required.add(one.asString()));
        var rows = new ArrayList<List<String>>();
        fields(schema, required, rows);
        var text = "## %s\n\n%s\n\n"
                .formatted(name, Markdown.plain(schema.path("description").asString("")));
        return rows.isEmpty() ? text : text + Markdown.table(List.of("field", "type", "meaning"), rows);
    }

    private void fields(JsonNode schema, List<String> required, List<List<String>> rows) {
        for (var part : schema.path("allOf")) {
            if (part.has("$ref")) rows.add(List.of("", type(part), "with all of its fields"));
            else fields(part, required, rows);
        }
        schema.path("properties")
                .properties()
                .forEach(field -> rows.add(List.of(
                        Markdown.code(field.getKey()) + (required.contains(field.getKey()) ? " (always)" : ""),
                        type(field.getValue()),
                        meaning(field.getValue(), field.getValue()))));
    }

    private static String meaning(JsonNode described, JsonNode schema) {
        var text = Markdown.plain(described.path("description").asString(""));
        var words = new ArrayList<String>();
        schema.path("enum").forEach(one -> words.add(Markdown.code(one.asString())));
        if (!words.isEmpty()) text = (text.isEmpty() ? "" : text + ". ") + "One of " + String.join(", ", words);
        if (schema.has("default"))
            text = (text.isEmpty() ? "" : text + ". ") + "Default: "
                    + Markdown.code(schema.path("default").asString());
        return text;
    }

    private JsonNode resolve(JsonNode given) {
        if (!given.has("$ref")) return given;
        return api.at(given.path("$ref").asString().substring(1));
    }

    private static String type(JsonNode schema) {
        if (schema.has("$ref")) {
            var name = schema.path("$ref").asString().replaceAll(".*/", "");
            return "[%s](#%s)".formatted(name, name.toLowerCase(Locale.ROOT));
        }
        if (schema.path("type").asString("").equals("array")) return "list of " + type(schema.path("items"));
        var words = new ArrayList<String>();
        for (var many : List.of("type", "anyOf", "oneOf", "allOf"))
            if (schema.path(many).isArray())
                schema.path(many).forEach(one -> words.add(one.isObject() ? type(one) : one.asString()));
        return words.isEmpty() ? schema.path("type").asString("") : String.join(" or ", words);
    }
}
