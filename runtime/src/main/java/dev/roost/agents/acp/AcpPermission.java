package dev.roost.agents.acp;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.JsonLines;
import dev.roost.agents.JsonRpc;
import dev.roost.agents.Permissions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** An agent's request for permission. */
record AcpPermission(JsonNode id, JsonNode params) {

    private static final Set<String> FILE_WORK = Set.of("read", "search", "edit");

    String questionId() {
        return id.asString("");
    }

    JsonNode tool() {
        return params.path("toolCall");
    }

    String toolId() {
        return tool().path("toolCallId").asString("");
    }

    /** Whether no answer is needed. {@code EDIT} grants work on files that are all named and in {@code cwd}. */
    boolean isWithin(Permissions permissions, Path cwd) {
        return option("allow_once").isPresent()
                && switch (permissions) {
                    case SAFE -> false;
                    case EDIT ->
                        FILE_WORK.contains(tool().path("kind").asString(""))
                                && !paths().isEmpty()
                                && paths().stream().allMatch(path -> inside(cwd, path));
                    case ALL -> true;
                };
    }

    private List<String> paths() {
        var located = tool().path("locations").valueStream();
        var changed = tool().path("content").valueStream();
        return Stream.concat(located, changed)
                .map(one -> one.path("path").asString(""))
                .filter(path -> !path.isEmpty())
                .toList();
    }

    private static boolean inside(Path cwd, String path) {
        return path.indexOf('\0') < 0 && cwd.resolve(path).normalize().startsWith(cwd.normalize());
    }

    /** Allows or rejects this request only, never permanently; cancels it if the agent does not offer that. */
    AgentOutput.StdinLine answer(String key, boolean allowed) {
        var result = JsonLines.object();
        var outcome = result.putObject("outcome");
        option(allowed ? "allow_once" : "reject_once")
                .ifPresentOrElse(
                        option -> outcome.put("outcome", "selected").put("optionId", option),
                        () -> outcome.put("outcome", "cancelled"));
        return JsonRpc.result(key, id, result);
    }

    private Optional<String> option(String kind) {
        return params.path("options")
                .valueStream()
                .filter(one -> one.path("kind").asString("").equals(kind))
                .map(one -> one.path("optionId").asString(""))
                .findFirst();
    }
}
