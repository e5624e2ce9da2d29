package dev.roost.agents;

import dev.roost.run.Cause;
import dev.roost.run.Exit;
import dev.roost.run.Question;
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
 * <p>What it is told works at a place in the agent's lines, not at the moment of telling: an answer at its question, and words
 * at the end of a turn, one message for each turn, since most agents lose one of two prompts that overlap. So everything comes
 * out the same, ids and keys too, when a new daemon first tells what was delivered and then has all lines heard again. Words
 * that come after the last turn has ended are not sent, and so never count as delivered.
 */
final class AcpDialog implements Dialog {

    private final Job job;
    private final JsonRpc rpc = new JsonRpc();
    private final AcpWords words = new AcpWords();
    private final AcpTools tools = new AcpTools();
    private final AcpUsage usage;
    private final Deque<Message.Words> waiting = new ArrayDeque<>();
    private final Map<String, AcpPermission> asked = new LinkedHashMap<>(); // in this turn
    private final Map<String, Message.Permission> answers = new HashMap<>();
    private final Said.Send first;
    private String session = "";
    private boolean prompted;
    private boolean over;

    AcpDialog(Job job) {
        this.job = job;
        this.usage = new AcpUsage(job.before());
        this.first = new AcpOpening(job, rpc, this::begin, this::end).initialize();
    }

    String firstLine() {
        return first.line();
    }

    @Override
    public List<Said> hear(String line) {
        return over ? List.of() : JsonLines.object(line).map(this::hear).orElse(List.of());
    }

    private List<Said> hear(JsonNode json) {
        return switch (json.path("method").asString("")) {
            case "" -> rpc.answered(json);
            case "session/update" ->
                // before its first prompt it is the history of a session that was loaded
                prompted ? update(json.path("params").path("update")) : List.of();
            case "session/request_permission" ->
                json.has("id") ? asks(new AcpPermission(json.path("id"), json.path("params"))) : List.of();
            default ->
                json.has("id")
                        ? List.of(JsonRpc.error(json.path("id"), JsonRpc.METHOD_NOT_FOUND, "Method not found"))
                        : List.of();
        };
    }

    /** Whom there is no other way to tell, finds the system prompt in front of its task, once in a conversation. */
    private List<Said> begin(String session) {
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

    private JsonRpc.Then afterTurn() {
        return new JsonRpc.Then(this::turnEnded, error -> end(AcpError.failure(error)));
    }

    private List<Said> update(JsonNode update) {
        var said = new ArrayList<Said>();
        switch (update.path("sessionUpdate").asString("")) {
            case "agent_message_chunk" -> {
                said.addAll(usage.speaks());
                said.addAll(words.hear(update));
            }
            case "agent_thought_chunk" -> {
                said.addAll(usage.speaks());
                said.addAll(words.pause());
            }
            case "tool_call", "tool_call_update" -> {
                var news = tools.hear(update);
                if (news.stream().anyMatch(Said.ToolStarted.class::isInstance)) {
                    said.addAll(words.next());
                    said.addAll(usage.acts());
                }
                said.addAll(news);
                if (AcpTools.ends(update)) usage.toolEnded();
            }
            case "usage_update" -> said.addAll(usage.update(update));
            default -> {}
        }
        return said;
    }

    private List<Said> asks(AcpPermission wish) {
        var said = new ArrayList<>(words.next());
        tools.learn(wish.tool());
        said.addAll(usage.acts());
        usage.asks();
        if (wish.isWithin(job.profile().permissions(), job.cwd())) {
            said.add(wish.answer(JsonRpc.key(wish.id()), true));
            said.addAll(tools.start(wish.toolId()));
            return said;
        }
        asked.put(wish.questionId(), wish);
        var question = new Question(wish.questionId(), Question.Kind.PERMISSION, tools.what(wish.toolId()));
        said.add(new Said.Asks(question));
        var answer = answers.get(wish.questionId());
        if (answer != null) said.addAll(answer(wish, answer));
        return said;
    }

    @Override
    public List<Said> tell(Message message) {
        if (over) return List.of();
        switch (message) {
            case Message.Words later -> waiting.add(later);
            case Message.Permission answer -> {
                boolean first = answers.putIfAbsent(answer.questionId(), answer) == null;
                var wish = asked.get(answer.questionId());
                if (first && wish != null) return answer(wish, answer);
            }
            case Message.Answer _ -> {} // it asks for permission and for nothing else
        }
        return List.of();
    }

    private List<Said> answer(AcpPermission wish, Message.Permission answer) {
        var said = new ArrayList<Said>();
        said.add(wish.answer(answer.key(), answer.allowed()));
        said.add(new Said.Settled(wish.questionId()));
        said.addAll(
                answer.allowed()
                        ? tools.start(wish.toolId())
                        : tools.end(
                                wish.toolId(),
                                true,
                                answer.reason())); // reasons are for who watches: ACP has no place for them
        return said;
    }

    private boolean denied(AcpPermission wish) {
        var answer = answers.get(wish.questionId());
        return answer != null && !answer.allowed();
    }

    private List<Said> turnEnded(JsonNode result) {
        var said = new ArrayList<>(words.rest());
        said.addAll(usage.turnEnded(result));
        var models = result.path("_meta").path("quota").path("model_usage");
        if (models.size() == 1)
            said.add(new Said.Model(models.path(0).path("model").asString("")));
        var next = waiting.poll();
        if (next == null) {
            said.addAll(end(lastWord(result.path("stopReason").asString(""))));
            return said;
        }
        asked.keySet().stream().filter(id -> !answers.containsKey(id)).forEach(id -> said.add(new Said.Settled(id)));
        asked.clear();
        words.next();
        said.add(rpc.ask(next.key(), "session/prompt", turn(next.text()), afterTurn()));
        return said;
    }

    private LastWord lastWord(String reason) {
        boolean denied = asked.values().stream().anyMatch(this::denied);
        boolean lastDenied = asked.values().stream()
                .anyMatch(wish -> denied(wish) && wish.toolId().equals(tools.last()));
        var words = this.words.answer();
        if (reason.equals("end_turn") && !lastDenied) return new LastWord.Success(words);
        if (lastDenied || (denied && reason.equals("cancelled")))
            return new LastWord.Failure(Cause.PERMISSION_DENIED, "the last thing it wanted to do was not allowed");
        return switch (reason) {
            case "refusal" -> new LastWord.Failure(Cause.REFUSED, JsonLines.oneLine("the model refused: " + words));
            case "max_turn_requests" ->
                new LastWord.Failure(Cause.BUDGET_TURNS, "it reached its own limit of requests in a turn");
            case "max_tokens" ->
                new LastWord.Failure(Cause.AGENT_ERROR, "its answer was cut off at the model's limit of tokens");
            case "cancelled" -> new LastWord.Failure(Cause.AGENT_ERROR, "its turn was cancelled");
            default ->
                new LastWord.Failure(
                        Cause.AGENT_ERROR, "it ended its turn for an unknown reason: " + JsonLines.oneLine(reason));
        };
    }

    private List<Said> end(LastWord last) {
        var said = new ArrayList<>(words.rest());
        over = true;
        said.add(new Said.Last(last));
        said.add(new Said.Hangup());
        return said;
    }

    @Override
    public List<Said> over(Exit exit) {
        return words.rest();
    }
}
