package dev.roost.cli.watch;

import dev.roost.cli.terminal.LineEditor;
import dev.roost.cli.view.RunEntry;

/** An open prompt of the view. */
sealed interface InputPrompt {

    /** Confirms a stop. */
    record Stop(RunEntry run) implements InputPrompt {}

    /** Allows or denies a run's permission question. */
    record Permission(RunEntry run) implements InputPrompt {}

    /** A message to a run, or the answer to its question. */
    record Message(RunEntry run, LineEditor line) implements InputPrompt {}

    /** Filters by words. */
    record Filter(LineEditor line) implements InputPrompt {}

    default KeyAction.InputContext context() {
        return switch (this) {
            case Stop _, Permission _ -> KeyAction.InputContext.QUESTION;
            case Message _, Filter _ -> KeyAction.InputContext.LINE;
        };
    }
}
