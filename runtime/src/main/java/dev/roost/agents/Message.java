package dev.roost.agents;

/** Something for a live agent. {@code key} tells it from every other message to that attempt. */
public sealed interface Message {

    String key();

    /** A person's or a parent's words, to be heeded at the next safe point. */
    record Words(String key, String text) implements Message {}

    /** An answer to a question of kind permission; {@code reason} is for the agent. */
    record Permission(String key, String questionId, boolean allowed, String reason) implements Message {}

    /** An answer to any other question. */
    record Answer(String key, String questionId, String text) implements Message {}
}
