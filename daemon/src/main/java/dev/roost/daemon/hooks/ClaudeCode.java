package dev.roost.daemon.hooks;

import dev.roost.daemon.wire.Json;
import dev.roost.ledger.Offer;
import dev.roost.run.ParentEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Claude Code, and Codex, whose hooks were made after it. */
record ClaudeCode(String prefix) implements Vocabulary {

    @Override
    public Optional<ParentEvent> read(String event, JsonNode input) {
        if (input.hasNonNull("agent_id")) return Optional.empty(); // inside an agent of its own
        return switch (event) {
            case "SessionStart" ->
                Optional.of(
                        input.path("source").asString("").equals("compact")
                                ? new ParentEvent.Seen()
                                : new ParentEvent.Started());
            case "UserPromptSubmit" ->
                Optional.of(
                        new ParentEvent.Prompted(!isOurs(input.path("prompt").asString(""))));
            case "PostToolBatch", "PostToolUse" -> Optional.of(new ParentEvent.ToolsDone());
            case "Stop" -> Optional.of(new ParentEvent.TurnEnded(true));
            case "StopFailure" -> Optional.of(new ParentEvent.Interrupted());
            case "SessionEnd" -> Optional.of(new ParentEvent.Ended());
            default -> Optional.empty();
        };
    }

    /** A turn that a hook, a monitor or a task of the harness's own began: nobody typed that. */
    private static boolean isOurs(String prompt) {
        return prompt.startsWith("<task-notification>") || prompt.contains("<roost-notice id=");
    }

    @Override
    public boolean follows(String event, JsonNode input) {
        return event.equals("SessionStart") && input.path("source").asString("").equals("clear");
    }

    @Override
    public boolean oneSessionAProcess() {
        return prefix.equals("claude");
    }

    @Override
    public ObjectNode say(String event, Offer.Occasion occasion, String text) {
        var json = Json.MAPPER.createObjectNode();
        // Claude Code goes on with a context too, and repeats the reason of a block
        if (occasion == Offer.Occasion.STOP && prefix.equals("codex"))
            return json.put("decision", "block").put("reason", text);
        json.putObject("hookSpecificOutput").put("hookEventName", event).put("additionalContext", text);
        return json;
    }
}
