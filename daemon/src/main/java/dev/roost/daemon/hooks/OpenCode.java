package dev.roost.daemon.hooks;

import dev.roost.daemon.wire.Json;
import dev.roost.ledger.Offer;
import dev.roost.run.ParentEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** OpenCode, through the plugin in {@code integrations/opencode}. */
record OpenCode() implements Vocabulary {

    @Override
    public String prefix() {
        return "opencode";
    }

    @Override
    public Optional<ParentEvent> read(String event, JsonNode input) {
        return switch (event) {
            case "start" -> Optional.of(new ParentEvent.Started());
            case "prompt" ->
                Optional.of(new ParentEvent.Prompted(
                        !input.path("prompt").asString("").contains("<roost-notice id=")));
            case "tools" -> Optional.of(new ParentEvent.ToolsDone());
            case "idle" ->
                Optional.of(new ParentEvent.TurnEnded(input.path("attended").asBoolean(true)));
            case "interrupted" -> Optional.of(new ParentEvent.Interrupted());
            case "end" -> Optional.of(new ParentEvent.Ended());
            default -> Optional.empty();
        };
    }

    @Override
    public ObjectNode say(String event, Offer.Occasion occasion, String text) {
        return Json.MAPPER.createObjectNode().put("text", text);
    }
}
