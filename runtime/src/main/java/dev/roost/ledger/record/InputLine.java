package dev.roost.ledger.record;

import java.util.Optional;

/** A line for an attempt's standard input, or its end where there is no text; the same key is written once. */
public record InputLine(int n, String key, Optional<String> text) {

    /** The key of the end, after which nothing arrives any more. */
    public static final String END = "end";
}
