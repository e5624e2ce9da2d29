package dev.roost.agents.driver;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.agents.JsonLines;
import dev.roost.agents.LaunchCommand;
import dev.roost.model.Cause;
import dev.roost.model.Question;
import dev.roost.model.Usage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** Claude Code and its stream-json. Fields come in any order, and a {@code result} may be followed by another. */
final class ClaudeProtocol implements AgentProtocol {

    private final Map<String, JsonNode> asked = new HashMap<>();
    private final Map<String, Usage> thisTurn = new HashMap<>(); // by message; only the result's own sum is final
    private final Set<String> answers = new HashSet<>();
    private final Set<String> queued = new HashSet<>(); // messages that it has read but not processed
    private Usage spent = Usage.NONE; // the sum of thisTurn
    private Usage settled = Usage.NONE;
    private String lastTool = "";
    private boolean backgroundWork;

    /** Starts it with stream-json in both directions, so that it can be steered and can ask. */
    static LaunchCommand launch(Driver driver, AttemptJob job) {
        var words = new ArrayList<>(List.of(
                "-p",
                "--input-format",
                "stream-json",
                "--output-format",
                "stream-json",
                "--verbose",
                "--permission-prompt-tool",
                "stdio",
                "--permission-mode",
                switch (job.profile().permissions()) {
                    case SAFE -> "default";
                    case EDIT -> "acceptEdits";
                    case ALL -> "bypassPermissions";
                }));
        words.add(job.continues() ? "--resume" : "--session-id");
        words.add(job.session().orElseGet(() -> UUID.randomUUID().toString()));
        job.profile().model().ifPresent(model -> words.addAll(List.of("--model", model)));
        job.profile().systemPrompt().ifPresent(text -> words.addAll(List.of("--append-system-prompt", text)));
        return new LaunchCommand(
                LaunchCommand.words(driver, job.profile(), words),
                Map.of(),
                new LaunchCommand.AgentStdin.Pipe(ClaudeProtocol.userLine(UUID.randomUUID(), job.prompt())));
    }

    /** Claude ignores a second line with the same {@code uuid}, even in a later process. */
    static String userLine(UUID uuid, String text) {
        var line = JsonLines.object().put("type", "user").put("uuid", uuid.toString());
        line.putObject("message").put("role", "user").put("content", text);
        return line.toString();
    }

    @Override
    public List<AgentOutput> parseLine(String line) {
        return JsonLines.object(line)
                .map(json -> switch (json.path("type").asString("")) {
                    case "command_lifecycle" -> lifecycle(json);
                    case "system" -> system(json);
                    case "assistant" -> assistant(json);
                    case "user" -> toolResults(json);
                    case "rate_limit_event" -> limit(json.path("rate_limit_info"));
                    case "control_request" -> asks(json);
                    case "control_cancel_request" ->
                        List.<AgentOutput>of(new AgentOutput.QuestionClosed(
                                json.path("request_id").asString("")));
                    case "result" -> result(json);
                    default -> List.<AgentOutput>of();
                })
                .orElse(List.of());
    }

    private List<AgentOutput> lifecycle(JsonNode json) {
        var message = json.path("command_uuid").asString("");
        if (json.path("state").asString("").equals("queued")) queued.add(message);
        else queued.remove(message);
        return List.of();
    }

    private List<AgentOutput> system(JsonNode json) {
        switch (json.path("subtype").asString("")) {
            case "init" -> {
                return List.of(
                        new AgentOutput.Session(json.path("session_id").asString("")),
                        new AgentOutput.Model(json.path("model").asString("")));
            }
            case "api_retry" -> {
                return List.of(new AgentOutput.Note("the API did not answer well (%s); try %d of %d"
                        .formatted(
                                json.path("error").asString("unknown"),
                                json.path("attempt").asInt(0),
                                json.path("max_retries").asInt(0))));
            }
            case "background_tasks_changed" ->
                backgroundWork = !json.path("tasks").isEmpty();
            default -> {}
        }
        return List.of();
    }

    private List<AgentOutput> assistant(JsonNode json) {
        boolean own = json.path("parent_tool_use_id").isNull()
                || json.path("parent_tool_use_id").isMissingNode();
        var message = json.path("message");
        var outputs = new ArrayList<AgentOutput>();
        for (var block : message.path("content")) {
            switch (block.path("type").asString("")) {
                case "text" -> {
                    if (own && !json.has("error"))
                        outputs.add(new AgentOutput.Text(block.path("text").asString("")));
                }
                case "tool_use" ->
                    outputs.add(new AgentOutput.ToolStarted(
                            block.path("id").asString(""),
                            JsonLines.call(block.path("name").asString(""), block.path("input"))));
                default -> {}
            }
        }
        if (!json.has("error")) {
            if (own) answers.add(message.path("id").asString(""));
            spend(message.path("id").asString(""), usage(message.path("usage")));
            outputs.add(new AgentOutput.UsageTotal(soFar()));
        }
        return outputs;
    }

    private static Usage usage(JsonNode usage) {
        return new Usage(
                usage.path("input_tokens").asLong(0)
                        + usage.path("cache_creation_input_tokens").asLong(0),
                usage.path("cache_read_input_tokens").asLong(0),
                usage.path("output_tokens").asLong(0),
                Optional.empty(),
                0);
    }

    /** A message comes in several lines, each with the message's usage so far. */
    private void spend(String message, Usage now) {
        var earlier = thisTurn.put(message, now);
        spent = (earlier == null ? spent : spent.since(earlier)).plus(now);
    }

    private Usage soFar() {
        var sum = settled.plus(spent);
        return new Usage(sum.input(), sum.cached(), sum.output(), sum.costMicros(), answers.size());
    }

    private List<AgentOutput> toolResults(JsonNode json) {
        var outputs = new ArrayList<AgentOutput>();
        for (var block : json.path("message").path("content")) {
            if (!block.path("type").asString("").equals("tool_result")) continue;
            boolean failed = block.path("is_error").asBoolean(false);
            lastTool = block.path("tool_use_id").asString("");
            var content = block.path("content");
            var text = content.isString()
                    ? content.asString("")
                    : content.path(0).path("text").asString("");
            outputs.add(new AgentOutput.ToolEnded(
                    block.path("tool_use_id").asString(""), failed, failed ? JsonLines.oneLine(text) : ""));
        }
        return outputs;
    }

    private static List<AgentOutput> limit(JsonNode info) {
        if (!info.path("status").asString("").equals("rejected")) return List.of();
        var resets = info.path("resetsAt").asLongOpt();
        var until = resets.isPresent() ? JsonLines.second(resets.getAsLong()) : Optional.<Instant>empty();
        return List.of(new AgentOutput.RateLimit(until, "its usage limit is reached"));
    }

    private List<AgentOutput> asks(JsonNode json) {
        var request = json.path("request");
        if (!request.path("subtype").asString("").equals("can_use_tool")) return List.of();
        var id = json.path("request_id").asString("");
        asked.put(id, request);
        var tool = request.path("tool_name").asString("");
        boolean wantsToKnow = tool.equals("AskUserQuestion");
        var text = wantsToKnow
                ? request.path("input")
                        .path("questions")
                        .path(0)
                        .path("question")
                        .asString("It has a question.")
                : JsonLines.call(tool, request.path("input"));
        return List.of(new AgentOutput.QuestionAsked(
                new Question(id, wantsToKnow ? Question.Kind.INPUT : Question.Kind.PERMISSION, text)));
    }

    @Override
    public List<AgentOutput> encode(AgentInput message) {
        return switch (message) {
            case AgentInput.UserMessage(var key, var text) ->
                List.of(new AgentOutput.StdinLine(key, userLine(uuid(key, text), text)));
            case AgentInput.PermissionReply(var key, var id, var allowed, var reason) -> {
                var answer = JsonLines.object();
                if (allowed)
                    answer.put("behavior", "allow")
                            .set("updatedInput", question(id).path("input"));
                else answer.put("behavior", "deny").put("message", reason);
                yield List.of(
                        new AgentOutput.StdinLine(key, answerLine(id, answer)), new AgentOutput.QuestionClosed(id));
            }
            case AgentInput.QuestionReply(var key, var id, var text) -> {
                var answer = JsonLines.object().put("behavior", "deny").put("message", "The user answered: " + text);
                yield List.of(
                        new AgentOutput.StdinLine(key, answerLine(id, answer)), new AgentOutput.QuestionClosed(id));
            }
        };
    }

    /** Returns the same UUID for the same message on each replay; of version 4, like Claude's own. */
    private static UUID uuid(String key, String text) {
        var name = UUID.nameUUIDFromBytes((key + "\n" + text).getBytes(StandardCharsets.UTF_8));
        return new UUID((name.getMostSignificantBits() & ~0xF000L) | 0x4000L, name.getLeastSignificantBits());
    }

    private JsonNode question(String id) {
        return asked.getOrDefault(id, JsonLines.object());
    }

    private static String answerLine(String id, JsonNode answer) {
        var line = JsonLines.object().put("type", "control_response");
        line.putObject("response")
                .put("subtype", "success")
                .put("request_id", id)
                .set("response", answer);
        return line.toString();
    }

    private List<AgentOutput> result(JsonNode json) {
        var turn = turn(json);
        // Claude prints no line for an answer without text
        if (thisTurn.isEmpty() && turn.tokens() > 0) answers.add("result " + json.path("result_index"));
        settled = settled.plus(turn);
        thisTurn.clear();
        spent = Usage.NONE;
        var outputs = new ArrayList<AgentOutput>();
        outputs.add(new AgentOutput.UsageTotal(soFar()));
        if (backgroundWork || !queued.isEmpty()) return outputs; // another result follows
        outputs.add(new AgentOutput.TurnReport(lastWord(json)));
        outputs.add(new AgentOutput.StdinEnd());
        return outputs;
    }

    /** Sums the usage by model, which includes sub-agents and a turn that was cut off by its budget. */
    private static Usage turn(JsonNode json) {
        var models = json.path("model_usage_since_last_result");
        if (models.isEmpty()) return usage(json.path("usage"));
        var sum = Usage.NONE.withCost(0);
        for (var model : models) {
            sum = sum.plus(new Usage(
                    model.path("inputTokens").asLong(0)
                            + model.path("cacheCreationInputTokens").asLong(0),
                    model.path("cacheReadInputTokens").asLong(0),
                    model.path("outputTokens").asLong(0),
                    Optional.of(JsonLines.micros(model.path("costUSD"))),
                    0));
        }
        return sum;
    }

    private FinalReport lastWord(JsonNode json) {
        var subtype = json.path("subtype").asString("");
        boolean success = subtype.equals("success") && !json.path("is_error").asBoolean(true);
        var text = json.path("result").asString("");
        if (json.path("stop_reason").asString("").equals("refusal"))
            return new FinalReport.Failure(Cause.REFUSED, "the model refused: " + JsonLines.oneLine(text));
        boolean denied = json.path("permission_denials")
                .valueStream()
                .anyMatch(one -> one.path("tool_use_id").asString("").equals(lastTool));
        if (success && denied)
            return new FinalReport.Failure(Cause.PERMISSION_DENIED, "the last thing it wanted to do was not allowed");
        if (success) return new FinalReport.Success(text);
        var cause = switch (subtype) {
            case "error_max_turns" -> Cause.BUDGET_TURNS;
            case "error_max_budget_usd" -> Cause.BUDGET_COST;
            default -> json.path("api_error_status").asInt(0) == 429 ? Cause.RATE_LIMITED : Cause.AGENT_ERROR;
        };
        var why = text.isBlank() ? json.path("errors").path(0).asString(subtype) : text;
        if (json.path("terminal_reason").asString("").startsWith("aborted")) why = "it was interrupted";
        return new FinalReport.Failure(cause, JsonLines.why(why));
    }
}
