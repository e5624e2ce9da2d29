package dev.roost.daemon.hooks;

import dev.roost.daemon.api.RunJson;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.model.SessionEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Hooks of OpenCode, by the plugin in {@code integrations/opencode}. */
record OpenCodeHooks() implements HarnessHooks {

    @Override
    public String prefix() {
        return "opencode";
    }

    @Override
    public Optional<SessionEvent> read(String event, JsonNode input) {
        return switch (event) {
            case "start" -> Optional.of(new SessionEvent.SessionStarted());
            case "prompt" ->
                Optional.of(new SessionEvent.PromptSubmitted(
                        !input.path("prompt").asString("").contains("<roost-notice id=")));
            case "tools" -> Optional.of(new SessionEvent.ToolsFinished());
            case "idle" ->
                Optional.of(new SessionEvent.TurnEnded(input.path("attended").asBoolean(true)));
            case "interrupted" -> Optional.of(new SessionEvent.TurnInterrupted());
            case "end" -> Optional.of(new SessionEvent.SessionEnded());
            default -> Optional.empty();
        };
    }

    @Override
    public ObjectNode encodeText(String event, NoticeOffer.Occasion occasion, String text) {
        return RunJson.MAPPER.createObjectNode().put("text", text);
    }
}
