package dev.roost.agents;

import dev.roost.run.Cause;
import dev.roost.run.Usage;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What the process of an agent written in Java says; see {@code dev.roost.agent}. */
final class JavaDialog implements Dialog {

    @Override
    public List<Said> hear(String line) {
        var json = JsonLines.object(line);
        if (json.isEmpty()) return line.isBlank() ? List.of() : List.of(new Said.Note(JsonLines.oneLine(line)));
        return said(json.get(), json.get().path("text").asString(""));
    }

    private static List<Said> said(JsonNode json, String text) {
        var id = json.path("id").asString("");
        return switch (json.path("type").asString("")) {
            case "session" -> List.of(new Said.Session(json.path("session_id").asString("")));
            case "text" -> List.of(new Said.Text(text));
            case "note" -> List.of(new Said.Note(text));
            case "step_started" ->
                List.of(new Said.ToolStarted(
                        id, JsonLines.oneLine(json.path("name").asString(""))));
            case "step_ended" ->
                List.of(new Said.ToolEnded(id, json.path("failed").asBoolean(false), JsonLines.oneLine(text)));
            case "used" ->
                List.of(new Said.Used(new Usage(
                        json.path("input_tokens").asLong(0),
                        0,
                        json.path("output_tokens").asLong(0),
                        Optional.of(JsonLines.micros(json.path("cost_usd"))),
                        json.path("turns").asInt(0))));
            case "result" ->
                json.path("success").asBoolean(false)
                        ? List.of(new Said.Text(text), new Said.Last(new LastWord.Success(text)))
                        : List.of(new Said.Last(new LastWord.Failure(Cause.AGENT_ERROR, JsonLines.why(text))));
            default -> List.of();
        };
    }
}
