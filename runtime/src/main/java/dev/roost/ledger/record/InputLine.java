package dev.roost.ledger.record;

import java.util.Optional;

/** A line for an attempt's standard input, or the end of input if {@code text} is empty. Each key is written once. */
public record InputLine(int n, String key, Optional<String> text) {

    /** The key of the end of input; no line follows it. */
    public static final String END = "end";
}
