package dev.roost.conformance;

import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** A request the model got, and what it did about it. The headers are without keys. */
record Asked(
        String path, String model, Conversation conversation, Map<String, String> headers, JsonNode body, Step answer) {

    String lastUserText() {
        return conversation.lastUserText();
    }

    /** All that was said in it, and by whom. */
    String text() {
        var all = new StringBuilder();
        for (var message : conversation.messages())
            all.append(message.role()).append(": ").append(message.text()).append('\n');
        return all.toString();
    }

    /** How often this is said in it. */
    int count(String words) {
        return text().split(Pattern.quote(words), -1).length - 1;
    }
}
