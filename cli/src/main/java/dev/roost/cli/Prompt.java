package dev.roost.cli;

import dev.roost.cli.terminal.LineEditor;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What the view asks of whoever looks at it. */
sealed interface Prompt {

    record None() implements Prompt {}

    /** Whether to stop a run. */
    record Stop(String id, String title) implements Prompt {}

    /** Whether a run may do what it asks for. */
    record Permission(String id, String title, JsonNode question) implements Prompt {}

    /** A message to a run, or the answer to what it asks. */
    record Message(String id, String title, JsonNode question, LineEditor line) implements Prompt {}

    /** Words to filter by. */
    record Filter(LineEditor line) implements Prompt {}

    /** Where keys go meanwhile; empty if nothing is asked. */
    default Optional<Intent.Place> place() {
        return switch (this) {
            case Stop _, Permission _ -> Optional.of(Intent.Place.QUESTION);
            case Message _, Filter _ -> Optional.of(Intent.Place.LINE);
            case None _ -> Optional.empty();
        };
    }
}
