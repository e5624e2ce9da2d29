package dev.roost.agents;

import dev.roost.model.Question;
import dev.roost.model.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The state of an agent's stream so far, apart from its text. {@code tools} are the running ones. */
public record AgentState(
        Optional<String> session,
        Optional<String> model,
        Usage usage,
        Map<String, String> tools,
        List<Question> questions,
        Optional<AgentOutput.RateLimit> limit,
        Optional<FinalReport> finalReport) {

    public static final AgentState NOTHING = new AgentState(
            Optional.empty(), Optional.empty(), Usage.NONE, Map.of(), List.of(), Optional.empty(), Optional.empty());

    /** Limits the open tools and questions, so that an agent that never ends them uses bounded memory. */
    private static final int MOST_OPEN = 500;

    public AgentState apply(AgentOutput output) {
        return switch (output) {
            // some agents repeat it at the beginning of each turn, so another turn has begun
            case AgentOutput.Session(var id) ->
                new AgentState(Optional.of(id), model, usage, tools, questions, limit, Optional.empty());
            case AgentOutput.Model(var name) ->
                new AgentState(session, Optional.of(name), usage, tools, questions, limit, finalReport);
            case AgentOutput.Text _ -> afterFinalReport(tools);
            case AgentOutput.ToolStarted(var id, var what) -> {
                if (tools.size() >= MOST_OPEN) yield afterFinalReport(tools);
                var more = new LinkedHashMap<>(tools);
                more.put(id, what);
                yield afterFinalReport(more);
            }
            case AgentOutput.ToolEnded(var id, var _, var _) -> {
                var fewer = new LinkedHashMap<>(tools);
                fewer.remove(id);
                yield afterFinalReport(fewer);
            }
            case AgentOutput.UsageTotal(var soFar) ->
                new AgentState(session, model, soFar, tools, questions, limit, finalReport);
            case AgentOutput.QuestionAsked(var question) -> {
                var more = new ArrayList<>(questions);
                if (more.size() < MOST_OPEN) more.add(question);
                yield new AgentState(session, model, usage, tools, more, limit, Optional.empty());
            }
            case AgentOutput.QuestionClosed(var id) ->
                new AgentState(
                        session,
                        model,
                        usage,
                        tools,
                        questions.stream().filter(one -> !one.id().equals(id)).toList(),
                        limit,
                        finalReport);
            case AgentOutput.RateLimit limited ->
                new AgentState(session, model, usage, tools, questions, Optional.of(limited), finalReport);
            case AgentOutput.TurnReport(var word) ->
                new AgentState(session, model, usage, Map.of(), List.of(), limit, Optional.of(word));
            case AgentOutput.Note _, AgentOutput.StdinLine _, AgentOutput.StdinEnd _ -> this;
        };
    }

    /** Output after the final report discards it. */
    private AgentState afterFinalReport(Map<String, String> tools) {
        return new AgentState(session, model, usage, tools, questions, limit, Optional.empty());
    }

    public Optional<Question> question() {
        return questions.stream().findFirst();
    }
}
