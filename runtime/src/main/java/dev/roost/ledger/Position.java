package dev.roost.ledger;

/** How far an agent's raw stream was read, and how long that made what is readable: saved together, redone together. */
public record Position(long outOffset, long outputBytes, long transcriptBytes) {
    public static final Position START = new Position(0, 0, 0);
}
