package dev.roost.agents;

import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How to run a kind of agent. */
public interface Driver {

    String name();

    Capabilities abilities();

    /** The program it needs, looked up on the caller's PATH; the profile may name another. */
    List<String> program();

    /** How to get that program. */
    String howToInstall();

    /** Refuses a task that could not even be started. */
    default void check(AgentProfile profile, Task task, Path cwd, Map<String, String> environment) {
        var program = profile.command().isEmpty() ? program() : profile.command();
        Programs.require(program.getFirst(), cwd, environment, howToInstall());
    }

    LaunchCommand launch(AttemptJob job);

    /** How to read what it says; empty if its standard output is meant for people as it is. */
    Optional<AgentProtocol> dialog(AttemptJob job);

    /** How the attempt ended, by what its agent said and not by hope. */
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
