package dev.roost.agents;

import dev.roost.run.Exit;
import java.util.List;

/**
 * One attempt's conversation, line by line. It lives only on what it is given: a daemon that comes back gives the same
 * lines to a new one and has it where the old one was.
 */
public interface Dialog {

    /** What a line of the agent's standard output means; a line that makes no sense means nothing. */
    List<Said> hear(String line);

    /** What is to be sent so that the agent gets this message or answer. Only for those that can be steered. */
    default List<Said> tell(Message message) {
        throw new IllegalStateException("this agent cannot be told anything while it works");
    }

    /** What the end of the process adds, for agents whose last line alone does not tell. */
    default List<Said> over(Exit exit) {
        return List.of();
    }
}
