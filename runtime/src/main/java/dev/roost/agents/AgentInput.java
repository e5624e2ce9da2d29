package dev.roost.agents;

/** Something for a live agent. {@code key} tells it from every other message to that attempt. */
public sealed interface AgentInput {

    String key();

    /** A person's or a parent's words, to be heeded at the next safe point. */
    record UserMessage(String key, String text) implements AgentInput {}

    /** An answer to a question of kind permission; {@code reason} is for the agent. */
    record PermissionReply(String key, String questionId, boolean allowed, String reason) implements AgentInput {}

    /** An answer to any other question. */
    record QuestionReply(String key, String questionId, String text) implements AgentInput {}
}
