package dev.roost.chaos;

/**
 * A broken promise.
 *
 * @param promise its number in the contract
 * @param at seconds since chaos began
 */
public record Violation(int promise, Count count, String runId, String what, double at) {

    /** The counter of the verdict that includes it. */
    public enum Count {
        LOST,
        DOUBLED,
        ORPHANS,
        LIES
    }
}
