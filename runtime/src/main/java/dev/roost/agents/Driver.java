package dev.roost.agents;

import dev.roost.run.Exit;
import dev.roost.run.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** How to run a kind of agent. */
public interface Driver {

    String name();

    /** Whether a lost attempt can be taken up again in its own conversation. */
    boolean canResume();

    /** Refuses a task that could not even be started. */
    void check(Task task, Path cwd, Map<String, String> environment);

    /** What to execute; {@code promptFile} is where the prompt will be, for it never travels as an argument. */
    List<String> argv(Task task, Path promptFile);

    /** How the attempt ended, by what its agent said and not by hope. */
    Outcome judge(Exit exit, boolean leftResult);
}
