package dev.roost.daemon.hooks;

import dev.roost.daemon.api.RunJson;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.model.SessionEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Hooks of Claude Code, and of Codex, which has the same format. */
record ClaudeCodeHooks(String prefix) implements HarnessHooks {

    @Override
    public Optional<SessionEvent> read(String event, JsonNode input) {
        if (input.hasNonNull("agent_id")) return Optional.empty(); // the hook runs inside a subagent of the session
        return switch (event) {
            case "SessionStart" ->
                Optional.of(
                        input.path("source").asString("").equals("compact")
                                ? new SessionEvent.SessionSeen()
                                : new SessionEvent.SessionStarted());
            case "UserPromptSubmit" ->
                Optional.of(new SessionEvent.PromptSubmitted(
                        !isAutomatic(input.path("prompt").asString(""))));
            case "PostToolBatch", "PostToolUse" -> Optional.of(new SessionEvent.ToolsFinished());
            case "Stop" -> Optional.of(new SessionEvent.TurnEnded(true));
            case "StopFailure" -> Optional.of(new SessionEvent.TurnInterrupted());
            case "SessionEnd" -> Optional.of(new SessionEvent.SessionEnded());
            default -> Optional.empty();
        };
    }

    /** Whether a notice of Roost or a task of the harness started the turn, and no user typed the prompt. */
    private static boolean isAutomatic(String prompt) {
        return prompt.startsWith("<task-notification>") || prompt.contains("<roost-notice id=");
    }

    @Override
    public boolean followsClearedSession(String event, JsonNode input) {
        return event.equals("SessionStart") && input.path("source").asString("").equals("clear");
    }

    @Override
    public boolean hasOneSessionPerProcess() {
        return prefix.equals("claude");
    }

    @Override
    public ObjectNode encodeText(String event, NoticeOffer.Occasion occasion, String text) {
        var json = RunJson.MAPPER.createObjectNode();
        // Claude Code needs no block: it continues with the added context, and would show the reason of a block twice
        if (occasion == NoticeOffer.Occasion.STOP && prefix.equals("codex"))
            return json.put("decision", "block").put("reason", text);
        json.putObject("hookSpecificOutput").put("hookEventName", event).put("additionalContext", text);
        return json;
    }
}
