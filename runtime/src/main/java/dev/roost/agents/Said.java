package dev.roost.agents;

import dev.roost.run.Question;
import dev.roost.run.Usage;
import java.time.Instant;
import java.util.Optional;

/** What a line of an agent's stream means. */
public sealed interface Said {

    /** The agent's own id of the conversation, by which it can be resumed. */
    record Session(String id) implements Said {}

    /** Which model answers, as the agent calls it. */
    record Model(String name) implements Said {}

    /** Words of the agent, whole paragraphs. */
    record Text(String text) implements Said {}

    /** {@code what} is one readable line: {@code Bash: make test}. */
    record ToolStarted(String id, String what) implements Said {}

    /** {@code how} is one readable line where there is something to say, else empty. */
    record ToolEnded(String id, boolean failed, String how) implements Said {}

    /** Worth a line for who watches: a retry, a warning, a denial. */
    record Note(String text) implements Said {}

    /** What this attempt used so far, all in all. */
    record Used(Usage soFar) implements Said {}

    record Asks(Question question) implements Said {}

    /** The question was answered, or is none any more. */
    record Settled(String questionId) implements Said {}

    /** The provider takes no more for now; until when, if it said so. */
    record Limited(Optional<Instant> until, String words) implements Said {}

    /** What the agent ended its turn with. Anything it says afterwards takes this back. */
    record Last(LastWord word) implements Said {}

    /** A line to be written to the agent, once: {@code key} is the same however often the stream is read anew. */
    record Send(String key, String line) implements Said {}

    /** Nothing more will be written to the agent. */
    record Hangup() implements Said {}
}
