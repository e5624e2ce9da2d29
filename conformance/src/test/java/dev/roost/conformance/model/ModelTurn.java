package dev.roost.conformance.model;

import dev.roost.conformance.model.ModelRequest.Tool;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** An answer of the model: text, a tool call, or text and then a tool call. */
record ModelTurn(String model, String words, Optional<ToolCall> call, TokenUsage tokenUsage) {

    record ToolCall(Tool tool, JsonNode arguments) {}

    boolean saysBeforeItCalls() {
        return call.isPresent() && !words.isEmpty();
    }

    static String id(String prefix) {
        return prefix + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
    }
}
