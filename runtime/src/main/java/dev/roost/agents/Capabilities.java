package dev.roost.agents;

/**
 * What can be had of a kind of agent: continue its conversation, be told something while it works, say what it costs, ask
 * for permission.
 */
public record Capabilities(boolean resume, boolean steer, boolean cost, boolean asks) {}
