package dev.roost.agents.acp;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Capabilities;
import dev.roost.agents.Driver;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Task;
import dev.roost.base.BadInput;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs any program that speaks the Agent Client Protocol on its standard input and output. */
public final class AcpDriver implements Driver {

    @Override
    public String name() {
        return "acp";
    }

    /** Declares no cost, because only some agents report it; a reported cost is still recorded. */
    @Override
    public Capabilities abilities() {
        return new Capabilities(true, true, false, true);
    }

    @Override
    public List<String> program() {
        return List.of();
    }

    @Override
    public String howToInstall() {
        return "Name a program that speaks it in config.toml: [agents.x] driver = \"acp\", command = [\"gemini\", \"--acp\"]";
    }

    @Override
    public void check(AgentProfile profile, Task task, Path cwd, Map<String, String> environment) {
        if (profile.command().isEmpty()) {
            throw new BadInput(
                    "no_command",
                    "The agent \"%s\" has no command: acp is a protocol, and any program can speak it."
                            .formatted(profile.name()),
                    "Name the program in config.toml: [agents.%s] driver = \"acp\" command = [\"gemini\", \"--acp\"]"
                            .formatted(profile.name()));
        }
        Driver.super.check(profile, task, cwd, environment);
    }

    @Override
    public LaunchCommand launch(AttemptJob job) {
        return new LaunchCommand(
                LaunchCommand.words(this, job.profile(), List.of()),
                Map.of(),
                new LaunchCommand.AgentStdin.Pipe(new AcpProtocol(job).firstLine()));
    }

    @Override
    public Optional<AgentProtocol> dialog(AttemptJob job) {
        return Optional.of(new AcpProtocol(job));
    }
}
