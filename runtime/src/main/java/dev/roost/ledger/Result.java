package dev.roost.ledger;

import java.util.Optional;

/** An attempt's final text: here if it is short, otherwise in its result.md. */
public record Result(Optional<String> text, long bytes) {

    /** The longest result the ledger itself keeps. */
    public static final int LEDGER_LIMIT = 1 << 20;

    public static Result none() {
        return new Result(Optional.empty(), 0);
    }
}
