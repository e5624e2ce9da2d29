package dev.roost.sharedfiles;

/** What became of a piece. */
public sealed interface ChunkResult {

    /** All of it is there, now or since before; the file goes on at {@code length}. */
    record Stored(long length) implements ChunkResult {}

    /** The file ends before the piece begins, so nothing was added. */
    record MissingBytes(long length) implements ChunkResult {}

    /** A later attempt writes this run's files, so nothing was added. */
    record SupersededWriter() implements ChunkResult {}
}
