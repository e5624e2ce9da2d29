package dev.roost.agents;

import dev.roost.model.Cause;

/** An agent's own report of its end. */
public sealed interface FinalReport {

    /** The agent reports success; {@code text} is its answer and may be blank. */
    record Success(String text) implements FinalReport {}

    /** The agent reports failure; {@code reason} is for people. */
    record Failure(Cause cause, String reason) implements FinalReport {}
}
