package dev.roost.agents;

import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs any command. Exit status 0 is success, and standard output is the result. */
public final class CommandDriver implements Driver {

    @Override
    public String name() {
        return "command";
    }

    @Override
    public Capabilities abilities() {
        return new Capabilities(false, false, false, false, true);
    }

    @Override
    public List<String> program() {
        return List.of("sh");
    }

    @Override
    public String howToInstall() {
        return "Check the spelling; for a line of shell use: roost run -- sh -c '…'.";
    }

    @Override
    public void check(AgentProfile profile, Task task, Path cwd, Map<String, String> environment) {
        if (!task.argv().isEmpty()) Programs.require(task.argv().getFirst(), cwd, environment, howToInstall());
    }

    /** Runs the command line unchanged. A prompt is a script, which sh reads from its file. */
    @Override
    public LaunchCommand launch(AttemptJob job) {
        var argv = job.task().prompt().isPresent()
                ? List.of("sh", job.promptFile().toString())
                : job.task().argv();
        return new LaunchCommand(argv, Map.of(), new LaunchCommand.AgentStdin.Empty());
    }

    @Override
    public Optional<AgentProtocol> dialog(AttemptJob job) {
        return Optional.empty();
    }

    @Override
    public Outcome outcomeOf(Exit exit, Optional<FinalReport> last, boolean leftResult) {
        if (exit.signaled()) return new Outcome.Failed(Cause.SIGNAL);
        if (exit.status() != 0) return new Outcome.Failed(Cause.EXIT_CODE);
        return leftResult ? new Outcome.Completed() : new Outcome.CompletedEmpty();
    }
}
