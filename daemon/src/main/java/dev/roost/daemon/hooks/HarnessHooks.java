package dev.roost.daemon.hooks;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.RunJson;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.model.Owner;
import dev.roost.model.SessionEvent;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The events of the hooks of a harness, and the format of answers to them. Codex has the hooks of Claude Code; those of OpenCode
 * are of the plugin in {@code integrations/opencode}.
 */
enum HarnessHooks {
    CLAUDE("claude"),
    CODEX("codex"),
    GEMINI("gemini"),
    OPENCODE("opencode");

    private static final Map<String, HarnessHooks> OF_HARNESS =
            Map.of("claude-code", CLAUDE, "codex", CODEX, "gemini", GEMINI, "opencode", OPENCODE);

    private final String prefix;

    HarnessHooks(String prefix) {
        this.prefix = prefix;
    }

    static HarnessHooks of(String harness) {
        var hooks = OF_HARNESS.get(harness);
        if (hooks != null) return hooks;
        throw ErrorCode.UNKNOWN_HARNESS.error(
                "There is no harness \"%s\".".formatted(TextFormat.printable(harness)),
                "Known harnesses: %s.".formatted(String.join(", ", OF_HARNESS.keySet())));
    }

    /** Translates the event; empty if it says nothing about the owner session itself. */
    Optional<SessionEvent> read(String event, JsonNode input) {
        if (input.hasNonNull("agent_id")) return Optional.empty(); // the hook runs inside a subagent of the session
        return Optional.ofNullable(
                switch (event) {
                    case "SessionStart", "start" ->
                        source(input).equals("compact")
                                ? new SessionEvent.SessionSeen()
                                : new SessionEvent.SessionStarted();
                    case "UserPromptSubmit", "BeforeAgent", "prompt" ->
                        new SessionEvent.PromptSubmitted(
                                !isAutomatic(input.path("prompt").asString("")));
                    case "PostToolBatch", "PostToolUse", "AfterTool", "tools" -> new SessionEvent.ToolsFinished();
                    case "Stop", "AfterAgent", "idle" ->
                        new SessionEvent.TurnEnded(input.path("attended").asBoolean(true));
                    case "StopFailure", "interrupted" -> new SessionEvent.TurnInterrupted();
                    case "SessionEnd", "end" -> new SessionEvent.SessionEnded();
                    default -> null;
                });
    }

    private static String source(JsonNode input) {
        return input.path("source").asString("");
    }

    /** Whether a notice of Roost or a task of the harness started the turn, and no user typed the prompt. */
    private static boolean isAutomatic(String prompt) {
        return prompt.startsWith("<task-notification>") || prompt.contains("<roost-notice id=");
    }

    /** Whether the session replaces a session that was just cleared in the same process. */
    boolean followsClearedSession(String event, JsonNode input) {
        boolean known = this == CLAUDE || this == CODEX;
        return known && event.equals("SessionStart") && source(input).equals("clear");
    }

    /** Whether a process has one session at a time, so that the session it reported last is its present one. */
    boolean hasOneSessionPerProcess() {
        return this == CLAUDE;
    }

    Optional<Owner> owner(JsonNode input) {
        return input.path("session_id")
                .asStringOpt()
                .filter(id -> !id.isBlank())
                .map(id -> new Owner(prefix + ":" + id));
    }

    /** Encodes a text so that the harness shows it to its model. */
    ObjectNode encodeText(String event, NoticeOffer.Occasion occasion, String text) {
        var json = RunJson.MAPPER.createObjectNode();
        if (this == OPENCODE) return json.put("text", text);
        // Claude Code needs no block: it continues with the added context, and would show the reason of a block twice
        if (occasion == NoticeOffer.Occasion.STOP && this != CLAUDE)
            return json.put("decision", "block").put("reason", text);
        json.putObject("hookSpecificOutput").put("hookEventName", event).put("additionalContext", text);
        return json;
    }
}
