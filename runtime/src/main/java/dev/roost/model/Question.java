package dev.roost.model;

/** A question of an agent that waits for its answer. {@code id} is the agent's own id of the question. */
public record Question(String id, Kind kind, String text) {

    public enum Kind {
        /** A request for permission, which only a person may grant. */
        PERMISSION,
        /** Any other question. */
        INPUT
    }
}
