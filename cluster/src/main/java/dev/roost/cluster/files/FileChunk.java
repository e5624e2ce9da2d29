package dev.roost.cluster.files;

import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;

/** Bytes that an attempt appends to a growing file, starting at {@code from}. */
@SuppressWarnings("ArrayRecordComponent") // passed on and never compared
public record FileChunk(RunId run, int attempt, SharedFileName name, long from, byte[] bytes) {

    public FileChunk {
        if (from < 0) throw new IllegalArgumentException("from is " + from);
    }
}
