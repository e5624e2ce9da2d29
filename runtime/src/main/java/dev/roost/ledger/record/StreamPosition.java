package dev.roost.ledger.record;

/** How far an agent's raw stream was read, and the length of the readable files at that point; both are saved together. */
public record StreamPosition(long outOffset, long outputBytes, long transcriptBytes) {
    public static final StreamPosition START = new StreamPosition(0, 0, 0);
}
