package dev.roost.agents;

/** Input for a live agent. {@code key} is unique among the messages to that attempt. */
public sealed interface AgentInput {

    String key();

    /** A message from a person or a parent, to be processed at the next safe point. */
    record UserMessage(String key, String text) implements AgentInput {}

    /** An answer to a question of kind permission; {@code reason} is for the agent. */
    record PermissionReply(String key, String questionId, boolean allowed, String reason) implements AgentInput {}

    /** An answer to any other question. */
    record QuestionReply(String key, String questionId, String text) implements AgentInput {}
}
