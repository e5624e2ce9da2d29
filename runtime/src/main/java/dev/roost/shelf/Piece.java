package dev.roost.shelf;

import dev.roost.run.RunId;

/** Bytes of a file that grows, beginning at {@code from}, as the given attempt wrote them. */
@SuppressWarnings("ArrayRecordComponent") // handed over and never compared
public record Piece(RunId run, int attempt, ShelfName name, long from, byte[] bytes) {

    public Piece {
        if (from < 0) throw new IllegalArgumentException("from is " + from);
    }
}
