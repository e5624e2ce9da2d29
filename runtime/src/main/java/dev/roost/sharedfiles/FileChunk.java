package dev.roost.sharedfiles;

import dev.roost.model.RunId;

/** Bytes of a file that grows, beginning at {@code from}, as the given attempt wrote them. */
@SuppressWarnings("ArrayRecordComponent") // handed over and never compared
public record FileChunk(RunId run, int attempt, SharedFileName name, long from, byte[] bytes) {

    public FileChunk {
        if (from < 0) throw new IllegalArgumentException("from is " + from);
    }
}
