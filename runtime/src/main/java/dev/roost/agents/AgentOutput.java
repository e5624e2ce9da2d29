package dev.roost.agents;

import dev.roost.model.Question;
import dev.roost.model.Usage;
import java.time.Instant;
import java.util.Optional;

/** What a line of an agent's stream means. */
public sealed interface AgentOutput {

    /** The agent's own id of the conversation, by which it can be resumed. */
    record Session(String id) implements AgentOutput {}

    /** Which model answers, as the agent calls it. */
    record Model(String name) implements AgentOutput {}

    /** Words of the agent, whole paragraphs. */
    record Text(String text) implements AgentOutput {}

    /** {@code what} is one readable line: {@code Bash: make test}. */
    record ToolStarted(String id, String what) implements AgentOutput {}

    /** {@code how} is one readable line where there is something to say, else empty. */
    record ToolEnded(String id, boolean failed, String how) implements AgentOutput {}

    /** Worth a line for who watches: a retry, a warning, a denial. */
    record Note(String text) implements AgentOutput {}

    /** What this attempt used so far, all in all. */
    record UsageTotal(Usage soFar) implements AgentOutput {}

    record QuestionAsked(Question question) implements AgentOutput {}

    /** The question was answered, or is none any more. */
    record QuestionClosed(String questionId) implements AgentOutput {}

    /** The provider takes no more for now; until when, if it said so. */
    record RateLimit(Optional<Instant> until, String words) implements AgentOutput {}

    /** What the agent ended its turn with. Anything it says afterwards takes this back. */
    record TurnReport(FinalReport word) implements AgentOutput {}

    /** A line to be written to the agent, once: {@code key} is the same however often the stream is read anew. */
    record StdinLine(String key, String line) implements AgentOutput {}

    /** Nothing more will be written to the agent. */
    record StdinEnd() implements AgentOutput {}
}
