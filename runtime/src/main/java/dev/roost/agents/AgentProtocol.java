package dev.roost.agents;

import dev.roost.model.Exit;
import java.util.List;

/**
 * One attempt's conversation, line by line. It lives only on what it is given: a daemon that comes back gives the same
 * lines to a new one and has it where the old one was.
 */
public interface AgentProtocol {

    /** What a line of the agent's standard output means; a line that makes no sense means nothing. */
    List<AgentOutput> parseLine(String line);

    /** What is to be sent so that the agent gets this message or answer. Only for those that can be steered. */
    default List<AgentOutput> encode(AgentInput message) {
        throw new IllegalStateException("this agent cannot be told anything while it works");
    }

    /** What the end of the process adds, for agents whose last line alone does not tell. */
    default List<AgentOutput> onExit(Exit exit) {
        return List.of();
    }
}
