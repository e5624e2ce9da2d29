package dev.roost.shelf;

/** What became of a piece. */
public sealed interface Answer {

    /** All of it is there, now or since before; the file goes on at {@code length}. */
    record There(long length) implements Answer {}

    /** The file ends before the piece begins, so nothing was added. */
    record Gap(long length) implements Answer {}

    /** A later attempt writes this run's files, so nothing was added. */
    record Fenced() implements Answer {}
}
