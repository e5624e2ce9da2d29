package dev.roost.model;

/** What an agent waits to be told. {@code id} is the agent's own, by which the answer finds its question. */
public record Question(String id, Kind kind, String text) {

    public enum Kind {
        /** May it do this? A person's to allow. */
        PERMISSION,
        /** Anything else it wants to know. */
        INPUT
    }
}
