package dev.roost.house;

import dev.roost.agents.LastWord;
import dev.roost.agents.Said;
import dev.roost.run.Question;
import java.time.Instant;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an agent said, for a person to read, and as one JSON object a line. */
final class Rendering {

    private static final JsonMapper JSON = new JsonMapper();

    private Rendering() {}

    static String text(Said said) {
        return switch (said) {
            case Said.Text(var text) -> text.isBlank() ? "" : text.strip() + "\n\n";
            case Said.ToolStarted(var _, var what) -> "→ " + what + "\n";
            case Said.ToolEnded(var _, var failed, var how) -> failed ? "  ✗ " + how + "\n" : "";
            case Said.Note(var text) -> "· " + text + "\n";
            case Said.Asks(var question) ->
                question.kind() == Question.Kind.PERMISSION
                        ? "? asks for permission: " + question.text() + "\n"
                        : "? asks: " + question.text() + "\n";
            case Said.Limited(var until, var words) ->
                "· " + words + until.map(at -> ", until " + at).orElse("") + "\n";
            case Said.Last(LastWord.Failure(var _, var why)) -> "✗ " + why + "\n";
            case Said.Last _, Said.Session _, Said.Model _, Said.Used _, Said.Settled _, Said.Send _, Said.Hangup _ ->
                "";
        };
    }

    /** The same, from what {@link #json} made of it. */
    static String text(JsonNode line) {
        String text = line.path("text").asString("");
        return switch (line.path("type").asString("")) {
            case "text" -> text(new Said.Text(text));
            case "tool_started" -> text(new Said.ToolStarted("", text));
            case "tool_ended" -> text(new Said.ToolEnded("", line.path("failed").asBoolean(false), text));
            case "note" -> text(new Said.Note(text));
            case "asks" -> text(new Said.Asks(new Question("", kind(line), text)));
            case "limited" ->
                "· " + text
                        + line.path("until")
                                .asStringOpt()
                                .map(at -> ", until " + at)
                                .orElse("") + "\n";
            case "last" -> line.path("success").asBoolean(true) ? "" : "✗ " + text + "\n";
            default -> "";
        };
    }

    private static String word(Question.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Transcripts of earlier versions do not tell it. */
    private static Question.Kind kind(JsonNode line) {
        boolean permission = line.path("kind").asString("").equals(word(Question.Kind.PERMISSION));
        return permission ? Question.Kind.PERMISSION : Question.Kind.INPUT;
    }

    static String json(Said said, int attempt, Instant at) {
        var json = JSON.createObjectNode()
                .put("at", at.toString())
                .put("attempt", attempt)
                .put("type", said.getClass().getSimpleName().toLowerCase(Locale.ROOT));
        switch (said) {
            case Said.Session(var id) -> json.put("session_id", id);
            case Said.Model(var name) -> json.put("model", name);
            case Said.Text(var text) -> json.put("text", text);
            case Said.ToolStarted(var id, var what) ->
                json.put("type", "tool_started").put("id", id).put("text", what);
            case Said.ToolEnded(var id, var failed, var how) ->
                json.put("type", "tool_ended")
                        .put("id", id)
                        .put("failed", failed)
                        .put("text", how);
            case Said.Note(var text) -> json.put("text", text);
            case Said.Used(var usage) -> {
                json.put("input_tokens", usage.input()).put("cached_tokens", usage.cached());
                json.put("output_tokens", usage.output()).put("turns", usage.turns());
                usage.costMicros().ifPresent(cost -> json.put("cost_usd", cost / 1e6));
            }
            case Said.Asks(var question) ->
                json.put("id", question.id()).put("kind", word(question.kind())).put("text", question.text());
            case Said.Settled(var id) -> json.put("id", id);
            case Said.Limited(var until, var words) -> {
                json.put("text", words);
                until.ifPresent(time -> json.put("until", time.toString()));
            }
            case Said.Last(LastWord.Success(var text)) ->
                json.put("success", true).put("text", text);
            case Said.Last(LastWord.Failure(var cause, var why)) ->
                json.put("success", false).put("cause", cause.word()).put("text", why);
            case Said.Send _, Said.Hangup _ -> {
                return ""; // between us and the agent
            }
        }
        return json + "\n";
    }
}
