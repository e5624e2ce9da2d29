package dev.roost.agents;

import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts a kind of agent, reads its output and decides its outcome. */
public interface Driver {

    String name();

    Capabilities abilities();

    /** The agent's program, looked up on the caller's PATH; the profile may name another. */
    List<String> program();

    /** Tells the user how to install that program. */
    String howToInstall();

    /** Refuses a task that cannot be started. */
    default void check(AgentProfile profile, Task task, Path cwd, Map<String, String> environment) {
        var program = profile.command().isEmpty() ? program() : profile.command();
        Programs.require(program.getFirst(), cwd, environment, howToInstall());
    }

    LaunchCommand launch(AttemptJob job);

    /** The parser of the agent's standard output; empty if that is plain text for people. */
    Optional<AgentProtocol> dialog(AttemptJob job);

    /** The outcome by the agent's final report. Without a report, exit status 0 is no success. */
    default Outcome outcomeOf(Exit exit, Optional<FinalReport> last, boolean leftResult) {
        if (last.isPresent()) {
            return switch (last.get()) {
                case FinalReport.Success _ -> leftResult ? new Outcome.Completed() : new Outcome.CompletedEmpty();
                case FinalReport.Failure(var cause, var _) -> new Outcome.Failed(cause);
            };
        }
        if (exit.signaled()) return new Outcome.Failed(Cause.SIGNAL);
        return new Outcome.Failed(exit.status() == 0 ? Cause.CUT_SHORT : Cause.EXIT_CODE);
    }
}
