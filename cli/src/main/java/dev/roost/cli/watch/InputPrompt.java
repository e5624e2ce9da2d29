package dev.roost.cli.watch;

import dev.roost.cli.terminal.LineEditor;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What the view asks of whoever looks at it. */
sealed interface InputPrompt {

    record None() implements InputPrompt {}

    /** Whether to stop a run. */
    record Stop(String id, String title) implements InputPrompt {}

    /** Whether a run may do what it asks for. */
    record Permission(String id, String title, JsonNode question) implements InputPrompt {}

    /** A message to a run, or the answer to what it asks. */
    record Message(String id, String title, JsonNode question, LineEditor line) implements InputPrompt {}

    /** Words to filter by. */
    record Filter(LineEditor line) implements InputPrompt {}

    /** Where keys go meanwhile; empty if nothing is asked. */
    default Optional<KeyBindings.InputContext> place() {
        return switch (this) {
            case Stop _, Permission _ -> Optional.of(KeyBindings.InputContext.QUESTION);
            case Message _, Filter _ -> Optional.of(KeyBindings.InputContext.LINE);
            case None _ -> Optional.empty();
        };
    }
}
