package dev.roost.cli.watch;

import dev.roost.cli.terminal.LineEditor;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The open prompt of the view, if any. */
sealed interface InputPrompt {

    record None() implements InputPrompt {}

    /** Confirms a stop. */
    record Stop(String id, String title) implements InputPrompt {}

    /** Allows or denies a run's permission question. */
    record Permission(String id, String title, JsonNode question) implements InputPrompt {}

    /** A message to a run, or the answer to its question. */
    record Message(String id, String title, JsonNode question, LineEditor line) implements InputPrompt {}

    /** Filters by words. */
    record Filter(LineEditor line) implements InputPrompt {}

    /** The context of keys; empty without a prompt. */
    default Optional<KeyBindings.InputContext> place() {
        return switch (this) {
            case Stop _, Permission _ -> Optional.of(KeyBindings.InputContext.QUESTION);
            case Message _, Filter _ -> Optional.of(KeyBindings.InputContext.LINE);
            case None _ -> Optional.empty();
        };
    }
}
