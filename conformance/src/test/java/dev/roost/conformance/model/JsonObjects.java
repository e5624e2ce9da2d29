package dev.roost.conformance.model;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Builds and reads JSON concisely. */
public final class JsonObjects {

    public static final JsonMapper MAPPER = new JsonMapper();

    private JsonObjects() {}

    /** {@code object("type", "text", "text", words)}; a value may be a node, a list, a string, a number, a boolean. */
    public static ObjectNode object(Object... keysAndValues) {
        var object = MAPPER.createObjectNode();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            object.set((String) keysAndValues[i], MAPPER.valueToTree(keysAndValues[i + 1]));
        }
        return object;
    }

    public static ObjectNode with(ObjectNode object, Object... keysAndValues) {
        return object.deepCopy().setAll(object(keysAndValues));
    }

    /** The text of a content field in any dialect: a string, or a list of parts, some with text. */
    static String text(JsonNode content) {
        if (content.isString()) return content.asString();
        var words = new StringBuilder();
        for (var part : content) {
            String text = part.isString() ? part.asString() : part.path("text").asString("");
            words.append(words.isEmpty() || text.isEmpty() ? "" : "\n").append(text);
        }
        return words.toString();
    }

    public static List<JsonNode> items(JsonNode array) {
        return array.valueStream().toList();
    }
}
