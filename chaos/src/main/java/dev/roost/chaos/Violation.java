package dev.roost.chaos;

/**
 * A promise that was broken.
 *
 * @param promise its number in the contract
 * @param at seconds since chaos began
 */
public record Violation(int promise, Count count, String runId, String what, double at) {

    /** Under which number of the verdict it goes. */
    public enum Count {
        LOST,
        DOUBLED,
        ORPHANS,
        LIES
    }
}
