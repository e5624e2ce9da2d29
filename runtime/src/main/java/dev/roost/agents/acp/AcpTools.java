package dev.roost.agents.acp;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.JsonLines;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** The tool calls of an agent. It may announce a call without input, update it often, or report only its end. */
final class AcpTools {

    private final Map<String, String> descriptions = new HashMap<>();
    private final Set<String> started = new HashSet<>();
    private final Set<String> ended = new HashSet<>();
    private String last = "";

    List<AgentOutput> consume(JsonNode update) {
        var id = update.path("toolCallId").asString("");
        var status = update.path("status").asString("");
        boolean vague = status.equals("pending")
                && !descriptions.containsKey(id)
                && update.path("rawInput").path("command").isMissingNode();
        remember(update);
        var outputs = new ArrayList<AgentOutput>();
        if (!vague) outputs.addAll(start(id));
        boolean failed = status.equals("failed");
        if (ends(update)) outputs.addAll(end(id, failed, failed ? resultText(update) : ""));
        return outputs;
    }

    static boolean ends(JsonNode update) {
        return Set.of("completed", "failed").contains(update.path("status").asString(""));
    }

    /** Records the tool that the update names, and its description. */
    void remember(JsonNode update) {
        last = update.path("toolCallId").asString("");
        var kind = update.path("kind").asString("a tool");
        var title = update.path("title").asString(descriptions.getOrDefault(last, kind));
        var command = update.path("rawInput").path("command").asString("");
        descriptions.put(last, JsonLines.oneLine(title.contains(command) ? title : title + ": " + command));
    }

    String describe(String id) {
        return descriptions.getOrDefault(id, "a tool");
    }

    String last() {
        return last;
    }

    List<AgentOutput> start(String id) {
        return !ended.contains(id) && started.add(id)
                ? List.of(new AgentOutput.ToolStarted(id, describe(id)))
                : List.of();
    }

    List<AgentOutput> end(String id, boolean failed, String how) {
        return ended.add(id) ? List.of(new AgentOutput.ToolEnded(id, failed, JsonLines.oneLine(how))) : List.of();
    }

    private static String resultText(JsonNode update) {
        var raw = update.path("rawOutput");
        var content =
                update.path("content").path(0).path("content").path("text").asString("");
        return raw.isString() ? raw.asString() : raw.path("error").asString(content);
    }
}
