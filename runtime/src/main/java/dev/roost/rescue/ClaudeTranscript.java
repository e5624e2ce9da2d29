package dev.roost.rescue;

import dev.roost.agents.JsonLines;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** The transcript of one agent: its progress and its last text. */
final class ClaudeTranscript {

    private static final Set<String> ENDS = Set.of("end_turn", "stop_sequence");

    private final Map<String, String> open = new LinkedHashMap<>(); // calls without a result
    Optional<Instant> first = Optional.empty();
    Optional<Instant> last = Optional.empty();
    Optional<Path> cwd = Optional.empty();
    String prompt = "";
    private String message = "";
    String text = "";
    private boolean ended;

    void consume(JsonNode line) {
        var type = line.path("type").asString("");
        if (!type.equals("user") && !type.equals("assistant")) return;
        var at = JsonLines.time(line, "timestamp");
        first = first.or(() -> at);
        last = at.or(() -> last);
        cwd = line.path("cwd").asStringOpt().map(Path::of).or(() -> cwd);
        if (type.equals("assistant")) consumeAssistant(line);
        else consumeUser(line.path("message").path("content"));
    }

    private void consumeUser(JsonNode content) {
        ended = false;
        if (prompt.isEmpty()) prompt = content.asString("");
        for (var part : content) open.remove(part.path("tool_use_id").asString(""));
    }

    /** Each part of a message is on a line of its own. */
    private void consumeAssistant(JsonNode line) {
        var whole = line.path("message");
        boolean same = whole.path("id").asString("").equals(message);
        message = whole.path("id").asString("");
        boolean more = same;
        for (var part : whole.path("content")) {
            var words = part.path("text").asString("");
            if (part.path("type").asString("").equals("text") && !words.isBlank()) {
                text = more ? text + words : words;
                more = true;
            } else if (part.path("type").asString("").equals("tool_use")) {
                open.put(
                        part.path("id").asString(""),
                        LostAgent.call(part.path("name").asString("a tool"), part.path("input")));
            }
        }
        ended = ENDS.contains(whole.path("stop_reason").asString(""))
                && !line.path("isApiErrorMessage").asBoolean(false);
    }

    /** Whether the transcript ends with a final answer of the model. */
    boolean ended() {
        return ended && open.isEmpty();
    }

    Optional<String> doing() {
        return open.values().stream().reduce((_, latest) -> latest);
    }
}
