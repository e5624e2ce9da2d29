package dev.roost.conformance.model;

import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** A request the model got, and what it did about it. The headers are without keys. */
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

    /** All that was said in it, and by whom. */
    public String text() {
        var all = new StringBuilder();
        for (var message : modelRequest.messages())
            all.append(message.role()).append(": ").append(message.text()).append('\n');
        return all.toString();
    }

    /** How often this is said in it. */
    public int count(String words) {
        return text().split(Pattern.quote(words), -1).length - 1;
    }
}
