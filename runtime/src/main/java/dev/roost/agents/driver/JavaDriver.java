package dev.roost.agents.driver;

import dev.roost.agent.AgentMain;
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

/** Runs the caller's class in its own JVM: {@code command} is the JVM with its class path, {@code args} the class. */
final class JavaDriver implements Driver {

    @Override
    public String name() {
        return "java";
    }

    /** The agent resumes after its last finished step, and its own code reports its cost. */
    @Override
    public Capabilities abilities() {
        return new Capabilities(true, false, true, false);
    }

    @Override
    public List<String> program() {
        return List.of();
    }

    @Override
    public String howToInstall() {
        return "Name a class in config.toml: [agents.x] driver = \"java\", command = [\"java\", \"-cp\", \"app.jar\"],"
                + " args = [\"com.example.Worker\"]";
    }

    @Override
    public void check(AgentProfile profile, Task task, Path cwd, Map<String, String> environment) {
        if (profile.command().isEmpty() || profile.args().isEmpty()) {
            throw new BadInput(
                    "no_class",
                    "The agent \"%s\" names no class that would do the work.".formatted(profile.name()),
                    howToInstall().replace("agents.x", "agents." + profile.name()));
        }
        Driver.super.check(profile, task, cwd, environment);
    }

    @Override
    public LaunchCommand launch(AttemptJob job) {
        return new LaunchCommand(
                LaunchCommand.words(this, job.profile(), List.of(AgentMain.class.getName())),
                Map.of(),
                new LaunchCommand.AgentStdin.Text(job.promptAfterSystemPrompt()));
    }

    @Override
    public Optional<AgentProtocol> dialog(AttemptJob job) {
        return Optional.of(new JavaProtocol());
    }
}
