package dev.roost.agents.acp;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.agents.JsonLines;
import dev.roost.agents.JsonRpc;
import dev.roost.agents.LaunchCommand;
import dev.roost.base.ErrorCode;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Question;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The Agent Client Protocol, version 1: one session, and a turn for each prompt.
 *
 * <p>Input takes effect at a position in the agent's lines and not at a time: an answer at its question, a message at the
 * end of a turn. Each turn gets one message, because most agents lose one of two overlapping prompts. So a new daemon that
 * first restores the delivered input and then replays all lines gets the same output, with the same ids and keys. Messages
 * after the end of the last turn are not sent, and so never count as delivered.
 */
public final class AcpProtocol implements AgentProtocol {

    private final AttemptJob job;
    private final JsonRpc rpc = new JsonRpc();
    private final AcpText words = new AcpText();
    private final AcpTools tools = new AcpTools();
    private final AcpUsage usage;
    private final Deque<AgentInput.UserMessage> waiting = new ArrayDeque<>();
    private final Map<String, AcpPermission> asked = new LinkedHashMap<>(); // in this turn
    private final Map<String, AgentInput.PermissionReply> answers = new HashMap<>();
    private final AgentOutput.StdinLine first;
    private String session = "";
    private boolean prompted;
    private boolean over;

    public AcpProtocol(AttemptJob job) {
        this.job = job;
        this.usage = new AcpUsage(job.before());
        this.first = new AcpHandshake(job, rpc, this::begin, this::end).initialize();
    }

    /** Any program may speak the protocol, so the profile must name one. */
    public static void requireProgram(AgentProfile profile) {
        if (profile.command().isEmpty()) {
            throw ErrorCode.NO_COMMAND.error(
                    "The agent \"%s\" has no command: acp is a protocol, and any program can speak it."
                            .formatted(profile.name()),
                    "Name the program in config.toml: [agents.%s] driver = \"acp\" command = [\"gemini\", \"--acp\"]"
                            .formatted(profile.name()));
        }
    }

    public static LaunchCommand launch(Driver driver, AttemptJob job) {
        return new LaunchCommand(
                LaunchCommand.words(driver, job.profile(), List.of()),
                Map.of(),
                new LaunchCommand.AgentStdin.Pipe(new AcpProtocol(job).firstLine()));
    }

    String firstLine() {
        return first.line();
    }

    @Override
    public List<AgentOutput> parseLine(String line) {
        return over ? List.of() : JsonLines.object(line).map(this::parseLine).orElse(List.of());
    }

    private List<AgentOutput> parseLine(JsonNode json) {
        return switch (json.path("method").asString("")) {
            case "" -> rpc.answered(json);
            case "session/update" ->
                // before the first prompt, updates are the history of a loaded session
                prompted ? update(json.path("params").path("update")) : List.of();
            case "session/request_permission" ->
                json.has("id") ? asks(new AcpPermission(json.path("id"), json.path("params"))) : List.of();
            default ->
                json.has("id")
                        ? List.of(JsonRpc.error(json.path("id"), JsonRpc.METHOD_NOT_FOUND, "Method not found"))
                        : List.of();
        };
    }

    /** Puts the system prompt before the task, once in a conversation, because ACP has no field for it. */
    private List<AgentOutput> begin(String session) {
        this.session = session;
        var system = job.profile().systemPrompt().filter(_ -> !job.continues());
        var text = system.map(rules -> rules + "\n\n").orElse("") + job.prompt();
        return List.of(rpc.ask("session/prompt", turn(text), afterTurn()));
    }

    private ObjectNode turn(String text) {
        prompted = true;
        var params = JsonLines.object().put("sessionId", session);
        params.putArray("prompt").addObject().put("type", "text").put("text", text);
        return params;
    }

    private JsonRpc.ResponseHandlers afterTurn() {
        return new JsonRpc.ResponseHandlers(this::turnEnded, error -> end(AcpError.failure(error)));
    }

    private List<AgentOutput> update(JsonNode update) {
        var outputs = new ArrayList<AgentOutput>();
        switch (update.path("sessionUpdate").asString("")) {
            case "agent_message_chunk" -> {
                outputs.addAll(usage.textReceived());
                outputs.addAll(words.consume(update));
            }
            case "agent_thought_chunk" -> {
                outputs.addAll(usage.textReceived());
                outputs.addAll(words.pause());
            }
            case "tool_call", "tool_call_update" -> {
                var changes = tools.consume(update);
                if (changes.stream().anyMatch(AgentOutput.ToolStarted.class::isInstance)) {
                    outputs.addAll(words.nextAnswer());
                    outputs.addAll(usage.toolUsed());
                }
                outputs.addAll(changes);
                if (AcpTools.ends(update)) usage.toolEnded();
            }
            case "usage_update" -> outputs.addAll(usage.update(update));
            default -> {}
        }
        return outputs;
    }

    private List<AgentOutput> asks(AcpPermission order) {
        var outputs = new ArrayList<>(words.nextAnswer());
        tools.remember(order.tool());
        outputs.addAll(usage.toolUsed());
        usage.questionAsked();
        if (order.isWithin(job.profile().permissions(), job.cwd())) {
            outputs.add(order.answer(JsonRpc.key(order.id()), true));
            outputs.addAll(tools.start(order.toolId()));
            return outputs;
        }
        asked.put(order.questionId(), order);
        var question = new Question(order.questionId(), Question.Kind.PERMISSION, tools.describe(order.toolId()));
        outputs.add(new AgentOutput.QuestionAsked(question));
        var answer = answers.get(order.questionId());
        if (answer != null) outputs.addAll(answer(order, answer));
        return outputs;
    }

    @Override
    public List<AgentOutput> encode(AgentInput message) {
        if (over) return List.of();
        switch (message) {
            case AgentInput.UserMessage later -> waiting.add(later);
            case AgentInput.PermissionReply answer -> {
                boolean first = answers.putIfAbsent(answer.questionId(), answer) == null;
                var order = asked.get(answer.questionId());
                if (first && order != null) return answer(order, answer);
            }
            case AgentInput.QuestionReply _ -> {} // an ACP agent asks only for permission
        }
        return List.of();
    }

    private List<AgentOutput> answer(AcpPermission order, AgentInput.PermissionReply answer) {
        var outputs = new ArrayList<AgentOutput>();
        outputs.add(order.answer(answer.key(), answer.allowed()));
        outputs.add(new AgentOutput.QuestionClosed(order.questionId()));
        outputs.addAll(
                answer.allowed()
                        ? tools.start(order.toolId())
                        : tools.end(
                                order.toolId(),
                                true,
                                answer.reason())); // the reason is only for people: ACP has no field for it
        return outputs;
    }

    private boolean denied(AcpPermission order) {
        var answer = answers.get(order.questionId());
        return answer != null && !answer.allowed();
    }

    private List<AgentOutput> turnEnded(JsonNode result) {
        var outputs = new ArrayList<>(words.takeRest());
        outputs.addAll(usage.turnEnded(result));
        var models = result.path("_meta").path("quota").path("model_usage");
        if (models.size() == 1)
            outputs.add(new AgentOutput.Model(models.path(0).path("model").asString("")));
        var next = waiting.poll();
        if (next == null) {
            outputs.addAll(end(lastWord(result.path("stopReason").asString(""))));
            return outputs;
        }
        asked.keySet().stream()
                .filter(id -> !answers.containsKey(id))
                .forEach(id -> outputs.add(new AgentOutput.QuestionClosed(id)));
        asked.clear();
        words.nextAnswer();
        outputs.add(rpc.ask(next.key(), "session/prompt", turn(next.text()), afterTurn()));
        return outputs;
    }

    private FinalReport lastWord(String reason) {
        boolean denied = asked.values().stream().anyMatch(this::denied);
        boolean lastDenied = asked.values().stream()
                .anyMatch(order -> denied(order) && order.toolId().equals(tools.last()));
        var words = this.words.answer();
        if (reason.equals("end_turn") && !lastDenied) return new FinalReport.Success(words);
        if (lastDenied || (denied && reason.equals("cancelled")))
            return new FinalReport.Failure(Cause.PERMISSION_DENIED, "the last thing it wanted to do was not allowed");
        return switch (reason) {
            case "refusal" -> new FinalReport.Failure(Cause.REFUSED, JsonLines.oneLine("the model refused: " + words));
            case "max_turn_requests" ->
                new FinalReport.Failure(Cause.BUDGET_TURNS, "it reached its own limit of requests in a turn");
            case "max_tokens" ->
                new FinalReport.Failure(Cause.AGENT_ERROR, "its answer was cut off at the model's limit of tokens");
            case "cancelled" -> new FinalReport.Failure(Cause.AGENT_ERROR, "its turn was cancelled");
            default ->
                new FinalReport.Failure(
                        Cause.AGENT_ERROR, "it ended its turn for an unknown reason: " + JsonLines.oneLine(reason));
        };
    }

    private List<AgentOutput> end(FinalReport last) {
        var outputs = new ArrayList<>(words.takeRest());
        over = true;
        outputs.add(new AgentOutput.TurnReport(last));
        outputs.add(new AgentOutput.StdinEnd());
        return outputs;
    }

    @Override
    public List<AgentOutput> onExit(Exit exit) {
        return words.takeRest();
    }
}
