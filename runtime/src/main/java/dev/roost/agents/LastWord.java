package dev.roost.agents;

import dev.roost.run.Cause;

/** How an agent itself says that it ended. */
public sealed interface LastWord {

    /** Positively done; {@code text} is its answer, and may be blank. */
    record Success(String text) implements LastWord {}

    /** It gave up; {@code why} is for a person. */
    record Failure(Cause cause, String why) implements LastWord {}
}
