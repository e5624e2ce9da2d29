package dev.roost.chaos.promise;

/**
 * A broken promise.
 *
 * @param run empty if it is about no single run
 * @param at when it was seen, in seconds
 */
public record Violation(Promise promise, Count count, String run, String what, double at) {

    /** The counter of a verdict that includes it. */
    public enum Count {
        LOST,
        DOUBLED,
        ORPHANS,
        LIES
    }

    @Override
    public String toString() {
        return "promise %d, %s at %.3f s: %s".formatted(promise.number(), run, at, what);
    }
}
