package dev.roost.agents;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Tools at work. Agents announce them before they know on what, tell of them many times, or only of their end. */
final class AcpTools {

    private final Map<String, String> what = new HashMap<>();
    private final Set<String> started = new HashSet<>();
    private final Set<String> ended = new HashSet<>();
    private String last = "";

    List<Said> hear(JsonNode update) {
        var id = update.path("toolCallId").asString("");
        var status = update.path("status").asString("");
        boolean vague = status.equals("pending")
                && !what.containsKey(id)
                && update.path("rawInput").path("command").isMissingNode();
        learn(update);
        var said = new ArrayList<Said>();
        if (!vague) said.addAll(start(id));
        boolean failed = status.equals("failed");
        if (ends(update)) said.addAll(end(id, failed, failed ? how(update) : ""));
        return said;
    }

    static boolean ends(JsonNode update) {
        return Set.of("completed", "failed").contains(update.path("status").asString(""));
    }

    /** Takes note of the tool that this is about. */
    void learn(JsonNode update) {
        last = update.path("toolCallId").asString("");
        var kind = update.path("kind").asString("a tool");
        var title = update.path("title").asString(what.getOrDefault(last, kind));
        var command = update.path("rawInput").path("command").asString("");
        what.put(last, JsonLines.oneLine(title.contains(command) ? title : title + ": " + command));
    }

    String what(String id) {
        return what.getOrDefault(id, "a tool");
    }

    String last() {
        return last;
    }

    List<Said> start(String id) {
        return !ended.contains(id) && started.add(id) ? List.of(new Said.ToolStarted(id, what(id))) : List.of();
    }

    List<Said> end(String id, boolean failed, String how) {
        return ended.add(id) ? List.of(new Said.ToolEnded(id, failed, JsonLines.oneLine(how))) : List.of();
    }

    private static String how(JsonNode update) {
        var raw = update.path("rawOutput");
        var content =
                update.path("content").path(0).path("content").path("text").asString("");
        return raw.isString() ? raw.asString() : raw.path("error").asString(content);
    }
}
