package dev.roost.daemon.mcp;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.RunJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A table that gives the five operations the names and fields that a harness's model knows. */
public final class Dialect {

    private static final String OWN = "roost";
    private static final List<String> ALL = List.of(OWN, "claude-code", "oh-my-openagent");

    private final String instructions;
    private final Map<String, Tool> tools = new LinkedHashMap<>();
    private final Map<String, String> words = new LinkedHashMap<>();

    /** {@code fields}: maps the tool's fields to the operation's; an empty value means accepted without effect. */
    private record Tool(String operation, JsonNode shown, Map<String, String> fields, ObjectNode defaults) {}

    private Dialect(JsonNode table) {
        this.instructions = table.path("instructions").asString();
        table.path("words")
                .properties()
                .forEach(word -> words.put(word.getKey(), word.getValue().asString()));
        for (var tool : table.path("tools")) {
            var fields = new LinkedHashMap<String, String>();
            tool.path("fields")
                    .properties()
                    .forEach(
                            field -> fields.put(field.getKey(), field.getValue().asString()));
            var shown = ((ObjectNode) tool.deepCopy()).without(List.of("operation", "fields", "defaults"));
            var defaults =
                    tool.path("defaults") instanceof ObjectNode given ? given : RunJson.MAPPER.createObjectNode();
            tools.put(
                    tool.path("name").asString(),
                    new Tool(tool.path("operation").asString(), shown, fields, defaults));
        }
    }

    public static List<String> names() {
        return ALL;
    }

    public static Dialect of(Optional<String> name) {
        String wanted = name.orElse(OWN);
        if (!ALL.contains(wanted)) {
            throw ErrorCode.UNKNOWN_DIALECT.error(
                    "There is no dialect \"%s\".".formatted(TextFormat.printable(wanted)),
                    "Known dialects: %s.".formatted(String.join(", ", ALL)));
        }
        try (var in = Dialect.class.getResourceAsStream(wanted + ".json")) {
            if (in == null) throw new IllegalStateException("no table for " + wanted);
            return new Dialect(RunJson.MAPPER.readTree(in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The instructions for a model about the tools as a whole. */
    public String instructions() {
        return instructions;
    }

    /** The tools as the list that clients get. */
    public ArrayNode list() {
        var list = RunJson.MAPPER.createArrayNode();
        tools.values().forEach(tool -> list.add(tool.shown));
        return list;
    }

    /** A call, translated to an operation and its fields. */
    record ToolInvocation(String operation, ObjectNode arguments) {}

    /** Translates a call. Refuses fields that the schema does not name; drops fields that the harness's plugin adds. */
    ToolInvocation read(String name, JsonNode given, Set<String> pluginFields) {
        var tool = tools.get(name);
        if (tool == null) {
            throw ErrorCode.UNKNOWN_TOOL.error(
                    "There is no tool \"%s\".".formatted(TextFormat.printable(name)),
                    "The tools are %s.".formatted(String.join(", ", tools.keySet())));
        }
        if (!given.isObject() && !given.isMissingNode() && !given.isNull()) {
            throw ErrorCode.BAD_PARAMS.error("The arguments are not an object.");
        }
        var known = tool.shown.path("inputSchema").path("properties").propertyNames();
        var unknown = new TreeSet<String>();
        given.properties().forEach(field -> {
            if (!known.contains(field.getKey()) && !pluginFields.contains(field.getKey())) unknown.add(field.getKey());
        });
        if (!unknown.isEmpty()) {
            throw ErrorCode.UNKNOWN_FIELD.error(
                    "Unknown field: %s.".formatted(TextFormat.printable(String.join(", ", unknown))),
                    "%s takes %s.".formatted(name, String.join(", ", new ArrayList<>(known))));
        }
        var arguments = tool.defaults.deepCopy();
        given.properties().forEach(field -> {
            String target = tool.fields.getOrDefault(field.getKey(), field.getKey());
            boolean isSet = !target.isEmpty() && !field.getValue().isNull();
            if (isSet && !pluginFields.contains(field.getKey())) arguments.set(target, field.getValue());
        });
        return new ToolInvocation(tool.operation, arguments);
    }

    /** Replaces Roost's names in a text by those that the model knows. Do not pass an agent's own output. */
    String translate(String text) {
        String translated = text;
        for (var word : words.entrySet())
            translated = translated.replaceAll("\\b" + Pattern.quote(word.getKey()) + "\\b", word.getValue());
        return translated;
    }

    ObjectNode translate(ObjectNode answer) {
        var translated = answer.deepCopy();
        for (var word : words.entrySet()) {
            var value = translated.get(word.getKey());
            if (value != null) translated.set(word.getValue(), value);
            translated.remove(word.getKey());
        }
        for (var field : List.of("message", "hint")) {
            translated.path(field).asStringOpt().ifPresent(text -> translated.put(field, translate(text)));
        }
        if (translated.path("runs") instanceof ArrayNode runs) {
            for (int i = 0; i < runs.size(); i++) {
                if (runs.get(i) instanceof ObjectNode run) runs.set(i, translate(run));
            }
        }
        return translated;
    }
}
