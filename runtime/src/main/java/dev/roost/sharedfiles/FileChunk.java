package dev.roost.sharedfiles;

import dev.roost.model.RunId;

/** Bytes that an attempt appends to a growing file, starting at {@code from}. */
@SuppressWarnings("ArrayRecordComponent") // passed on and never compared
public record FileChunk(RunId run, int attempt, SharedFileName name, long from, byte[] bytes) {

    public FileChunk {
        if (from < 0) throw new IllegalArgumentException("from is " + from);
    }
}
