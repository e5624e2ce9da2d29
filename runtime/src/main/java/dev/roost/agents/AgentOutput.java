package dev.roost.agents;

import dev.roost.model.Question;
import dev.roost.model.Usage;
import java.time.Instant;
import java.util.Optional;

/** An event parsed from an agent's stream. */
public sealed interface AgentOutput {

    /** The agent's own id of the conversation, used to resume it. */
    record Session(String id) implements AgentOutput {}

    /** The model that answers, as the agent names it. */
    record Model(String name) implements AgentOutput {}

    /** Text of the agent, usually whole paragraphs. */
    record Text(String text) implements AgentOutput {}

    /** {@code what} describes the call in one line: {@code Bash: make test}. */
    record ToolStarted(String id, String what) implements AgentOutput {}

    /** {@code how} describes the result in one line, or is empty. */
    record ToolEnded(String id, boolean failed, String how) implements AgentOutput {}

    /** A line for people: a retry, a warning, a denial. */
    record Note(String text) implements AgentOutput {}

    /** The total usage of this attempt so far. */
    record UsageTotal(Usage soFar) implements AgentOutput {}

    record QuestionAsked(Question question) implements AgentOutput {}

    /** The question was answered or is no longer open. */
    record QuestionClosed(String questionId) implements AgentOutput {}

    /** The provider's limit is reached; {@code until} is when it ends, if the provider named a time. */
    record RateLimit(Optional<Instant> until, String words) implements AgentOutput {}

    /** The agent's report at the end of its turn. Later text, tool calls or questions discard it. */
    record TurnReport(FinalReport word) implements AgentOutput {}

    /** A line to write to the agent once. A replay of the stream yields the same {@code key}. */
    record StdinLine(String key, String line) implements AgentOutput {}

    /** The agent's standard input ends. */
    record StdinEnd() implements AgentOutput {}
}
