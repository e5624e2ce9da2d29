package dev.roost.agents;

/**
 * What a kind of agent can do: continue its conversation, take messages while it works, report its cost, ask for permission.
 *
 * @param plainProgram a program without a model or a protocol: its output is its result, and its processor time is its work
 */
public record Capabilities(boolean resume, boolean steer, boolean cost, boolean asks, boolean plainProgram) {

    /** An agent with a model. */
    public Capabilities(boolean resume, boolean steer, boolean cost, boolean asks) {
        this(resume, steer, cost, asks, false);
    }
}
