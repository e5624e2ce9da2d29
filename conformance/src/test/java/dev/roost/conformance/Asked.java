package dev.roost.conformance;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A request the model got, and what it did about it. The headers are without keys. */
record Asked(
        String path, String model, Conversation conversation, Map<String, String> headers, JsonNode body, Step answer) {

    String lastUserText() {
        return conversation.lastUserText();
    }
}
