package dev.roost.agents;

import dev.roost.model.Cause;

/** How an agent itself says that it ended. */
public sealed interface FinalReport {

    /** Positively done; {@code text} is its answer, and may be blank. */
    record Success(String text) implements FinalReport {}

    /** It gave up; {@code why} is for a person. */
    record Failure(Cause cause, String reason) implements FinalReport {}
}
