package dev.roost.agents;

/**
 * What a kind of agent supports: resuming its conversation, receiving messages while it works, reporting its cost, asking
 * for permission.
 */
public record Capabilities(boolean resume, boolean steer, boolean cost, boolean asks) {}
