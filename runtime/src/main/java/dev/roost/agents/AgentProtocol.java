package dev.roost.agents;

import dev.roost.model.Exit;
import java.util.List;

/**
 * Parses one attempt's conversation, line by line. Its state depends only on its input: a restarted daemon replays the
 * same lines into a new instance and gets the same state.
 */
public interface AgentProtocol {

    /** Parses a line of the agent's standard output; an invalid line yields nothing. */
    List<AgentOutput> parseLine(String line);

    /** Encodes a message or an answer for the agent. Only agents that can be steered support this. */
    default List<AgentOutput> encode(AgentInput message) {
        throw new IllegalStateException("this agent accepts no messages while it works");
    }

    /** Returns the output that the exit adds, for agents whose last line does not decide the outcome. */
    default List<AgentOutput> onExit(Exit exit) {
        return List.of();
    }
}
