package dev.roost.ledger.record;

import java.util.Optional;

/** An attempt's final text: here if it is short, otherwise in its result.md. */
public record AttemptResult(Optional<String> text, long bytes) {

    /** The longest result the ledger itself keeps. */
    public static final int LEDGER_LIMIT = 1 << 20;

    public static AttemptResult none() {
        return new AttemptResult(Optional.empty(), 0);
    }
}
