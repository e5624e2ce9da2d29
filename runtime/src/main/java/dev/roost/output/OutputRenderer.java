package dev.roost.output;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.FinalReport;
import dev.roost.model.Question;
import java.time.Instant;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Renders the agent's output as text for output.md, and as one JSON object a line for the transcript. */
final class OutputRenderer {

    private static final JsonMapper JSON = new JsonMapper();

    private OutputRenderer() {}

    static String text(AgentOutput output) {
        return switch (output) {
            case AgentOutput.Text(var text) -> text.isBlank() ? "" : text.strip() + "\n\n";
            case AgentOutput.ToolStarted(var _, var what) -> "→ " + what + "\n";
            case AgentOutput.ToolEnded(var _, var failed, var how) -> failed ? "  ✗ " + how + "\n" : "";
            case AgentOutput.Note(var text) -> "· " + text + "\n";
            case AgentOutput.QuestionAsked(var question) ->
                question.kind() == Question.Kind.PERMISSION
                        ? "? asks for permission: " + question.text() + "\n"
                        : "? asks: " + question.text() + "\n";
            case AgentOutput.RateLimit(var until, var words) ->
                "· " + words + until.map(at -> ", until " + at).orElse("") + "\n";
            case AgentOutput.TurnReport(FinalReport.Failure(var _, var why)) -> "✗ " + why + "\n";
            case AgentOutput.TurnReport _,
                    AgentOutput.Session _,
                    AgentOutput.Model _,
                    AgentOutput.UsageTotal _,
                    AgentOutput.QuestionClosed _,
                    AgentOutput.StdinLine _,
                    AgentOutput.StdinEnd _ -> "";
        };
    }

    /** Renders a transcript line that {@link #json} wrote. */
    static String text(JsonNode line) {
        String text = line.path("text").asString("");
        return switch (line.path("type").asString("")) {
            case "text" -> text(new AgentOutput.Text(text));
            case "tool_started" -> text(new AgentOutput.ToolStarted("", text));
            case "tool_ended" ->
                text(new AgentOutput.ToolEnded("", line.path("failed").asBoolean(false), text));
            case "note" -> text(new AgentOutput.Note(text));
            case "asks" -> text(new AgentOutput.QuestionAsked(new Question("", kind(line), text)));
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

    /** The kind of a question; transcripts of earlier versions lack it. */
    private static Question.Kind kind(JsonNode line) {
        boolean permission = line.path("kind").asString("").equals(word(Question.Kind.PERMISSION));
        return permission ? Question.Kind.PERMISSION : Question.Kind.INPUT;
    }

    /** The type words are part of the transcript's format, so they do not follow the names of the classes. */
    private static String type(AgentOutput output) {
        return switch (output) {
            case AgentOutput.Session _ -> "session";
            case AgentOutput.Model _ -> "model";
            case AgentOutput.Text _ -> "text";
            case AgentOutput.ToolStarted _ -> "tool_started";
            case AgentOutput.ToolEnded _ -> "tool_ended";
            case AgentOutput.Note _ -> "note";
            case AgentOutput.UsageTotal _ -> "used";
            case AgentOutput.QuestionAsked _ -> "asks";
            case AgentOutput.QuestionClosed _ -> "settled";
            case AgentOutput.RateLimit _ -> "limited";
            case AgentOutput.TurnReport _ -> "last";
            case AgentOutput.StdinLine _, AgentOutput.StdinEnd _ -> "";
        };
    }

    static String json(AgentOutput output, int attempt, Instant at) {
        var json = JSON.createObjectNode()
                .put("at", at.toString())
                .put("attempt", attempt)
                .put("type", type(output));
        switch (output) {
            case AgentOutput.Session(var id) -> json.put("session_id", id);
            case AgentOutput.Model(var name) -> json.put("model", name);
            case AgentOutput.Text(var text) -> json.put("text", text);
            case AgentOutput.ToolStarted(var id, var what) -> json.put("id", id).put("text", what);
            case AgentOutput.ToolEnded(var id, var failed, var how) ->
                json.put("id", id).put("failed", failed).put("text", how);
            case AgentOutput.Note(var text) -> json.put("text", text);
            case AgentOutput.UsageTotal(var usage) -> {
                json.put("input_tokens", usage.input()).put("cached_tokens", usage.cached());
                json.put("output_tokens", usage.output()).put("turns", usage.turns());
                usage.costMicros().ifPresent(cost -> json.put("cost_usd", cost / 1e6));
            }
            case AgentOutput.QuestionAsked(var question) ->
                json.put("id", question.id()).put("kind", word(question.kind())).put("text", question.text());
            case AgentOutput.QuestionClosed(var id) -> json.put("id", id);
            case AgentOutput.RateLimit(var until, var words) -> {
                json.put("text", words);
                until.ifPresent(time -> json.put("until", time.toString()));
            }
            case AgentOutput.TurnReport(FinalReport.Success(var text)) ->
                json.put("success", true).put("text", text);
            case AgentOutput.TurnReport(FinalReport.Failure(var cause, var why)) ->
                json.put("success", false).put("cause", cause.word()).put("text", why);
            case AgentOutput.StdinLine _, AgentOutput.StdinEnd _ -> {
                return ""; // the input of the agent is not part of its output
            }
        }
        return json + "\n";
    }
}
