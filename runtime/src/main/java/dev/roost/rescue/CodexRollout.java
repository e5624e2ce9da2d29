package dev.roost.rescue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** A Codex thread, read from its rollout file. */
final class CodexRollout {

    /** The state of the latest turn. */
    enum Turn {
        NONE,
        OPEN,
        COMPLETE,
        ABORTED
    }

    private final Path file;
    private final Map<String, String> open = new LinkedHashMap<>(); // calls without an output
    private final Set<String> heardFrom = new HashSet<>();
    private Optional<JsonNode> meta = Optional.empty();
    private Optional<Instant> last = Optional.empty();
    private Turn turn = Turn.NONE;
    private String task = "";
    private String text = "";

    private CodexRollout(Path file) {
        this.file = file;
    }

    static CodexRollout read(Path file) throws IOException {
        var rollout = new CodexRollout(file);
        JsonLinesFile.read(file, rollout::consume);
        return rollout;
    }

    private void consume(JsonNode line) {
        var payload = line.path("payload");
        last = JsonLinesFile.time(line, "timestamp").or(() -> last);
        switch (line.path("type").asString("")) {
            case "session_meta" -> meta = meta.or(() -> Optional.of(payload)); // a fork also has the one of its parent
            case "event_msg" -> event(payload);
            case "response_item" -> item(payload);
            default -> {}
        }
    }

    private void event(JsonNode event) {
        switch (event.path("type").asString("")) {
            case "task_started" -> {
                turn = Turn.OPEN;
                text = "";
                open.clear();
            }
            case "task_complete" -> {
                turn = Turn.COMPLETE;
                text = event.path("last_agent_message").asString(text);
            }
            case "turn_aborted" -> turn = Turn.ABORTED;
            default -> {}
        }
    }

    private void item(JsonNode item) {
        switch (item.path("type").asString("")) {
            case "message" -> {
                var words = words(item.path("content"));
                var role = item.path("role").asString("");
                if (role.equals("assistant") && !words.isBlank()) text = words;
                if (role.equals("user") && !words.startsWith("<")) task = words;
            }
            case "agent_message" -> {
                heardFrom.add(item.path("author").asString(""));
                if (item.path("recipient").asString("").equals(path().orElse("/root")))
                    for (var part : item.path("content"))
                        task = part.path("encrypted_content").asString(task);
            }
            case "function_call", "custom_tool_call" ->
                open.put(
                        item.path("call_id").asString(""),
                        ToolCall.inWords(
                                item.path("name").asString("a tool"),
                                JsonLinesFile.parse(item.path("arguments").asString("{}"))
                                        .orElseGet(JsonLinesFile.JSON::createObjectNode)));
            case "function_call_output", "custom_tool_call_output" ->
                open.remove(item.path("call_id").asString(""));
            default -> {}
        }
    }

    private static String words(JsonNode content) {
        var words = new StringBuilder();
        for (var part : content) words.append(part.path("text").asString(""));
        return words.toString();
    }

    Path file() {
        return file;
    }

    private Optional<String> meta(String field) {
        return meta.flatMap(one -> one.path(field).asStringOpt());
    }

    Optional<String> id() {
        return meta("id");
    }

    Optional<String> parent() {
        return meta("parent_thread_id");
    }

    /** The path by which the parent names this agent. */
    Optional<String> path() {
        return meta("agent_path");
    }

    Optional<Path> cwd() {
        return meta("cwd").map(Path::of);
    }

    Optional<Instant> began() {
        return meta.flatMap(one -> JsonLinesFile.time(one, "timestamp"));
    }

    Optional<Instant> last() {
        return last;
    }

    /** Whether the thread receives the answers of its agents as separate messages. */
    boolean writesToItsAgents() {
        return meta("multi_agent_version").equals(Optional.of("v2"));
    }

    boolean heardFrom(String path) {
        return heardFrom.contains(path);
    }

    Turn turn() {
        return turn;
    }

    String task() {
        return task;
    }

    String text() {
        return text;
    }

    Optional<String> doing() {
        return open.values().stream().reduce((_, latest) -> latest);
    }
}
