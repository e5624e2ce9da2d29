package dev.roost.ledger.record;

/** How far an agent's raw stream was read, and how long that made what is readable: saved together, redone together. */
public record StreamPosition(long outOffset, long outputBytes, long transcriptBytes) {
    public static final StreamPosition START = new StreamPosition(0, 0, 0);
}
