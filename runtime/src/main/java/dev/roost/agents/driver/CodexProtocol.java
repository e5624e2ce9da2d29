package dev.roost.agents.driver;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.FinalReport;
import dev.roost.agents.JsonLines;
import dev.roost.agents.ModelTurnCounter;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Usage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Parses {@code codex exec --json}. Codex counts usage from the beginning of the thread, over all processes. */
final class CodexProtocol implements AgentProtocol {

    private static final Pattern LIMIT =
            Pattern.compile("usage limit|rate limit|429 Too Many Requests", Pattern.CASE_INSENSITIVE);

    private final Optional<String> model;
    private final boolean resumed;
    private final Usage before;
    private final Set<String> tools = new HashSet<>();
    private final ModelTurnCounter modelTurnCounter = new ModelTurnCounter();
    private Usage used = Usage.NONE;
    private String thread = "";
    private String answer = "";
    private String trouble = "";

    CodexProtocol(Optional<String> model, boolean resumed, Usage before) {
        this.model = model;
        this.resumed = resumed;
        this.before = before;
    }

    @Override
    public List<AgentOutput> parseLine(String line) {
        return JsonLines.object(line)
                .map(json -> switch (json.path("type").asString("")) {
                    case "thread.started" -> begins(json.path("thread_id").asString(""));
                    case "item.started" -> item(json.path("item"), false);
                    case "item.completed" -> item(json.path("item"), true);
                    case "error" -> troubled(json.path("message").asString(""));
                    case "turn.completed" -> completed(json.path("usage"));
                    case "turn.failed" -> failed(json.at("/error/message").asString(trouble));
                    default -> List.<AgentOutput>of();
                })
                .orElse(List.of());
    }

    private List<AgentOutput> begins(String id) {
        thread = id;
        var outputs = new ArrayList<AgentOutput>(List.of(new AgentOutput.Session(id)));
        model.ifPresent(name -> outputs.add(new AgentOutput.Model(name)));
        return outputs;
    }

    private List<AgentOutput> item(JsonNode item, boolean done) {
        var type = item.path("type").asString("");
        if (type.equals("todo_list")) return List.of();
        if (type.equals("error"))
            return List.of(new AgentOutput.Note(item.path("message").asString(""))); // only a warning
        var outputs = new ArrayList<AgentOutput>();
        switch (type) {
            case "reasoning" -> answers(outputs);
            case "agent_message" -> {
                answers(outputs);
                answer = item.path("text").asString("");
                if (done && !answer.isBlank()) outputs.add(new AgentOutput.Text(answer));
            }
            default -> tool(item, type, done, outputs);
        }
        return outputs;
    }

    private void answers(List<AgentOutput> outputs) {
        if (modelTurnCounter.partReceived()) outputs.add(new AgentOutput.UsageTotal(soFar()));
    }

    private void tool(JsonNode item, String type, boolean done, List<AgentOutput> outputs) {
        var id = item.path("id").asString("");
        if (tools.add(id)) {
            answers(outputs);
            outputs.add(new AgentOutput.ToolStarted(id, call(type, item)));
        }
        if (!done) return;
        boolean failed =
                Set.of("failed", "declined").contains(item.path("status").asString(""));
        outputs.add(new AgentOutput.ToolEnded(id, failed, failed ? how(item) : ""));
        modelTurnCounter.toolEnded();
    }

    private static String call(String type, JsonNode item) {
        return switch (type) {
            case "command_execution" ->
                JsonLines.oneLine(
                        "shell: " + item.path("command").asString("").replaceFirst("^/\\S+ -lc '([^']*)'$", "$1"));
            case "file_change" -> {
                var paths = item.path("changes")
                        .valueStream()
                        .map(change -> change.path("path").asString(""))
                        .toList();
                yield JsonLines.oneLine("edit: " + String.join(", ", paths));
            }
            case "mcp_tool_call" ->
                JsonLines.call(
                        item.path("server").asString("") + "."
                                + item.path("tool").asString(""),
                        item.path("arguments"));
            default -> JsonLines.call(type, item);
        };
    }

    private static String how(JsonNode item) {
        var words = item.at("/error/message")
                .asString(item.path("aggregated_output").asString(""));
        var status = item.path("exit_code").isNumber()
                ? "exit status " + item.path("exit_code").asInt() + ": "
                : "";
        return JsonLines.oneLine(status + words);
    }

    private Usage soFar() {
        return new Usage(used.input(), used.cached(), used.output(), Optional.empty(), modelTurnCounter.count());
    }

    /** A reconnection is only a note. After any other error, {@code turn.failed} or the exit follows. */
    private List<AgentOutput> troubled(String words) {
        if (words.startsWith("Reconnecting")) return List.of(new AgentOutput.Note(JsonLines.oneLine(words)));
        trouble = words;
        return List.of();
    }

    private List<AgentOutput> completed(JsonNode usage) {
        long cached = usage.path("cached_input_tokens").asLong(0);
        used = new Usage(
                        usage.path("input_tokens").asLong(0) - cached,
                        cached,
                        usage.path("output_tokens").asLong(0),
                        Optional.empty(),
                        0)
                .since(before);
        trouble = "";
        return List.of(
                new AgentOutput.UsageTotal(soFar()), new AgentOutput.TurnReport(new FinalReport.Success(answer)));
    }

    private List<AgentOutput> failed(String words) {
        trouble = "";
        boolean limited = LIMIT.matcher(words).find();
        var word = new AgentOutput.TurnReport(
                new FinalReport.Failure(limited ? Cause.RATE_LIMITED : Cause.AGENT_ERROR, JsonLines.why(words)));
        return limited
                ? List.of(
                        new AgentOutput.RateLimit(
                                CodexLimitReset.in(words, resumed ? "" : thread), Cause.RATE_LIMITED.inWords()),
                        word)
                : List.of(word);
    }

    @Override
    public List<AgentOutput> onExit(Exit exit) {
        return trouble.isBlank() || exit.signaled() ? List.of() : failed(trouble);
    }
}
