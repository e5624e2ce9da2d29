package dev.roost.conformance.model;

import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** A request to the model and its result. Its headers contain no keys. */
public record RequestRecord(
        String path,
        String model,
        ModelRequest modelRequest,
        Map<String, String> headers,
        JsonNode body,
        ScriptStep answer) {

    public String lastUserText() {
        return modelRequest.lastUserText();
    }

    /** All text in it, with the roles. */
    public String text() {
        var all = new StringBuilder();
        for (var message : modelRequest.messages())
            all.append(message.role()).append(": ").append(message.text()).append('\n');
        return all.toString();
    }

    /** How often it contains this text. */
    public int count(String words) {
        return text().split(Pattern.quote(words), -1).length - 1;
    }
}
