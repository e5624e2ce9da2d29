package dev.roost.cluster.files;

/** The result of appending a chunk. */
public sealed interface ChunkResult {

    /** The store has the whole chunk, now or from before; the next chunk starts at {@code length}. */
    record Stored(long length) implements ChunkResult {}

    /** The file ends before the chunk begins; nothing was added. */
    record MissingBytes(long length) implements ChunkResult {}

    /** A later attempt writes the files of this run; nothing was added. */
    record SupersededWriter() implements ChunkResult {}
}
