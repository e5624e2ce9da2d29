package dev.roost.rescue;

import dev.roost.agents.JsonLines;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * The notices that the agents of one Claude Code session received about each other, from all its transcripts. A queued notice
 * is not delivered: only a message or an attachment of the conversation is.
 */
final class ClaudeDeliveries {

    private static final Pattern NOTICE = Pattern.compile(
            "<task-notification>\\s*<task-id>([^<]{1,100})</task-id>.*?<status>([^<]{1,40})</status>", Pattern.DOTALL);

    /** A background command, with its directory and start time. */
    record BackgroundShell(String id, String command, Optional<Path> cwd, Instant at) {}

    private final Map<String, String> deliveries = new HashMap<>();
    private final Map<String, String> commands = new HashMap<>();
    private final Map<String, BackgroundShell> shells = new LinkedHashMap<>();

    void consume(JsonNode line) {
        switch (line.path("type").asString("")) {
            case "assistant" -> calls(line);
            case "user" -> user(line);
            case "attachment" -> {
                var attachment = line.path("attachment");
                if (attachment.path("type").asString("").equals("queued_command"))
                    notices(attachment.path("prompt").asString(""));
            }
            default -> {}
        }
    }

    private void calls(JsonNode line) {
        for (var part : line.path("message").path("content"))
            part.path("input")
                    .path("command")
                    .asStringOpt()
                    .ifPresent(command -> commands.put(part.path("id").asString(""), command));
    }

    private void user(JsonNode line) {
        var content = line.path("message").path("content");
        notices(content.asString(""));
        for (var part : content) notices(part.path("text").asString(""));
        var result = line.path("toolUseResult");
        var status = result.path("status").asString("");
        result.path("agentId")
                .asStringOpt()
                .filter(_ -> !status.isEmpty() && !status.equals("async_launched"))
                .ifPresent(agent -> deliveries.put(agent, status));
        result.path("task_id")
                .asStringOpt()
                .ifPresent(task -> deliveries.put(task, "stopped")); // stopped with the tool for stopping tasks
        result.path("backgroundTaskId").asStringOpt().ifPresent(task -> shell(line, task));
    }

    private void shell(JsonNode line, String id) {
        var call =
                line.path("message").path("content").path(0).path("tool_use_id").asString("");
        JsonLines.time(line, "timestamp")
                .ifPresent(at -> shells.put(
                        id,
                        new BackgroundShell(
                                id,
                                commands.getOrDefault(call, "a command"),
                                line.path("cwd").asStringOpt().map(Path::of),
                                at)));
    }

    private void notices(String text) {
        var notices = NOTICE.matcher(text);
        while (notices.find()) deliveries.put(notices.group(1), notices.group(2));
    }

    /** The status in the last notice about a task. */
    Optional<String> findDelivery(String id) {
        return Optional.ofNullable(deliveries.get(id));
    }

    Iterable<BackgroundShell> shells() {
        return shells.values();
    }
}
