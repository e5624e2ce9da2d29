package dev.roost.daemon.mcp;

import dev.roost.base.BadInput;
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

/** The five operations under the names and fields that a harness's model knows: a table, nothing more. */
public final class Dialect {

    private static final String OWN = "roost";
    private static final List<String> ALL = List.of(OWN, "claude-code", "oh-my-openagent");

    private final String instructions;
    private final Map<String, Tool> tools = new LinkedHashMap<>();
    private final Map<String, String> words = new LinkedHashMap<>();

    /** {@code fields}: theirs to ours; an empty one is taken and has no effect. */
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
            throw new BadInput(
                    "unknown_dialect",
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

    /** What a model is told of the tools as a whole. */
    public String instructions() {
        return instructions;
    }

    /** The tools, as they are served. */
    public ArrayNode list() {
        var list = RunJson.MAPPER.createArrayNode();
        tools.values().forEach(tool -> list.add(tool.shown));
        return list;
    }

    /** A call in our own words. */
    record ToolInvocation(String operation, ObjectNode arguments) {}

    /** What a call means. What its schema does not name is refused by name; what a harness's plugin adds is not for the operation. */
    ToolInvocation read(String name, JsonNode given, Set<String> ofThePlugin) {
        var tool = tools.get(name);
        if (tool == null) {
            throw new BadInput(
                    "unknown_tool",
                    "There is no tool \"%s\".".formatted(TextFormat.printable(name)),
                    "The tools are %s.".formatted(String.join(", ", tools.keySet())));
        }
        if (!given.isObject() && !given.isMissingNode() && !given.isNull()) {
            throw new BadInput("bad_params", "The arguments are not an object.", "Send {\"field\": value, …}.");
        }
        var known = tool.shown.path("inputSchema").path("properties").propertyNames();
        var strangers = new TreeSet<String>();
        given.properties().forEach(field -> {
            if (!known.contains(field.getKey()) && !ofThePlugin.contains(field.getKey())) strangers.add(field.getKey());
        });
        if (!strangers.isEmpty()) {
            throw new BadInput(
                    "unknown_field",
                    "Unknown field: %s.".formatted(TextFormat.printable(String.join(", ", strangers))),
                    "%s takes %s.".formatted(name, String.join(", ", new ArrayList<>(known))));
        }
        var arguments = tool.defaults.deepCopy();
        given.properties().forEach(field -> {
            String ours = tool.fields.getOrDefault(field.getKey(), field.getKey());
            if (!ours.isEmpty() && !ofThePlugin.contains(field.getKey())) arguments.set(ours, field.getValue());
        });
        return new ToolInvocation(tool.operation, arguments);
    }

    /** The names that this model knows, in our own text and in the fields of an answer. What an agent said stays as it is. */
    String translate(String text) {
        String said = text;
        for (var word : words.entrySet())
            said = said.replaceAll("\\b" + Pattern.quote(word.getKey()) + "\\b", word.getValue());
        return said;
    }

    ObjectNode translate(ObjectNode answer) {
        var said = answer.deepCopy();
        for (var word : words.entrySet()) {
            var value = said.get(word.getKey());
            if (value != null) said.set(word.getValue(), value);
            said.remove(word.getKey());
        }
        for (var ours : List.of("message", "hint")) {
            said.path(ours).asStringOpt().ifPresent(text -> said.put(ours, translate(text)));
        }
        if (said.path("runs") instanceof ArrayNode runs) {
            for (int i = 0; i < runs.size(); i++) {
                if (runs.get(i) instanceof ObjectNode run) runs.set(i, translate(run));
            }
        }
        return said;
    }
}
