package dev.roost.ledger;

/** How far an agent's raw stream was read, and how long that made the readable output: saved together, redone together. */
public record Position(long outOffset, long outputBytes) {
    public static final Position START = new Position(0, 0);
}
