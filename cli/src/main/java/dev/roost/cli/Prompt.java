package dev.roost.cli;

import dev.roost.cli.terminal.LineEditor;

/** What the view asks of whoever looks at it. */
sealed interface Prompt {

    record None() implements Prompt {}

    /** Whether to stop a run. */
    record Stop(String id, String title) implements Prompt {}

    /** Whether a run may do what it asks for; {@code askedAt} tells that question from the next one. */
    record Permission(String id, String title, String question, String askedAt) implements Prompt {}

    /** A message to a run, or the answer to what it asks. */
    record Message(String id, String title, String question, LineEditor line) implements Prompt {}

    /** Words to filter by. */
    record Filter(LineEditor line) implements Prompt {}

    default Intent.Place place() {
        return switch (this) {
            case Stop _, Permission _ -> Intent.Place.QUESTION;
            case Message _, Filter _ -> Intent.Place.LINE;
            case None _ -> Intent.Place.LIST;
        };
    }
}
