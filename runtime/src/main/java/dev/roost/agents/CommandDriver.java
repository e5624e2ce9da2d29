package dev.roost.agents;

import dev.roost.run.Cause;
import dev.roost.run.Exit;
import dev.roost.run.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Any command. Its exit status 0 is its word for success, and its standard output is its result. */
public final class CommandDriver implements Driver {

    @Override
    public String name() {
        return "command";
    }

    @Override
    public Abilities abilities() {
        return new Abilities(false, false, false, false);
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
    public void check(Profile profile, Task task, Path cwd, Map<String, String> environment) {
        if (!task.argv().isEmpty()) Programs.require(task.argv().getFirst(), cwd, environment, howToInstall());
    }

    /** The words as they are; a prompt is a script, which sh reads from its file. */
    @Override
    public Launch launch(Job job) {
        var argv = job.task().prompt().isPresent()
                ? List.of("sh", job.promptFile().toString())
                : job.task().argv();
        return new Launch(argv, Map.of(), new Launch.Input.Nothing());
    }

    @Override
    public Optional<Dialog> dialog(Job job) {
        return Optional.empty();
    }

    @Override
    public Outcome judge(Exit exit, Optional<LastWord> last, boolean leftResult) {
        if (exit.signaled()) return new Outcome.Failed(Cause.SIGNAL);
        if (exit.status() != 0) return new Outcome.Failed(Cause.EXIT_CODE);
        return leftResult ? new Outcome.Completed() : new Outcome.CompletedEmpty();
    }
}
