package dev.roost.daemon.hooks;

import dev.roost.daemon.wire.Json;
import dev.roost.ledger.Offer;
import dev.roost.run.ParentEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Gemini CLI. */
record Gemini() implements Vocabulary {

    @Override
    public String prefix() {
        return "gemini";
    }

    @Override
    public Optional<ParentEvent> read(String event, JsonNode input) {
        return switch (event) {
            case "SessionStart" -> Optional.of(new ParentEvent.Started());
            case "BeforeAgent" ->
                Optional.of(new ParentEvent.Prompted(
                        !input.path("prompt").asString("").contains("<roost-notice id=")));
            case "AfterTool" -> Optional.of(new ParentEvent.ToolsDone());
            case "AfterAgent" -> Optional.of(new ParentEvent.TurnEnded(true));
            case "SessionEnd" -> Optional.of(new ParentEvent.Ended());
            default -> Optional.empty();
        };
    }

    @Override
    public ObjectNode say(String event, Offer.Occasion occasion, String text) {
        var json = Json.MAPPER.createObjectNode();
        if (occasion == Offer.Occasion.STOP)
            return json.put("decision", "block").put("reason", text);
        json.putObject("hookSpecificOutput").put("hookEventName", event).put("additionalContext", text);
        return json;
    }
}
