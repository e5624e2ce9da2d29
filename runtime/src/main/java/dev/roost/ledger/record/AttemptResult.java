package dev.roost.ledger.record;

import java.util.Optional;

/** An attempt's result: in {@code text} if it is short, otherwise in its result.md. */
public record AttemptResult(Optional<String> text, long bytes) {

    /** The longest result that is stored in the ledger. */
    public static final int LEDGER_LIMIT = 1 << 20;

    public static AttemptResult none() {
        return new AttemptResult(Optional.empty(), 0);
    }
}
