package dev.roost.daemon.hooks;

import dev.roost.daemon.api.RunJson;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.model.SessionEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Hooks of Gemini CLI. */
record GeminiHooks() implements HarnessHooks {

    @Override
    public String prefix() {
        return "gemini";
    }

    @Override
    public Optional<SessionEvent> read(String event, JsonNode input) {
        return switch (event) {
            case "SessionStart" -> Optional.of(new SessionEvent.SessionStarted());
            case "BeforeAgent" ->
                Optional.of(new SessionEvent.PromptSubmitted(
                        !input.path("prompt").asString("").contains("<roost-notice id=")));
            case "AfterTool" -> Optional.of(new SessionEvent.ToolsFinished());
            case "AfterAgent" -> Optional.of(new SessionEvent.TurnEnded(true));
            case "SessionEnd" -> Optional.of(new SessionEvent.SessionEnded());
            default -> Optional.empty();
        };
    }

    @Override
    public ObjectNode encodeText(String event, NoticeOffer.Occasion occasion, String text) {
        var json = RunJson.MAPPER.createObjectNode();
        if (occasion == NoticeOffer.Occasion.STOP)
            return json.put("decision", "block").put("reason", text);
        json.putObject("hookSpecificOutput").put("hookEventName", event).put("additionalContext", text);
        return json;
    }
}
