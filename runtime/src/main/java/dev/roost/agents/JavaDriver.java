package dev.roost.agents;

import dev.roost.agent.Main;
import dev.roost.run.BadInput;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A class of its caller's, in a JVM of its own: {@code command} is that JVM with its class path, {@code args} the class. */
final class JavaDriver implements Driver {

    @Override
    public String name() {
        return "java";
    }

    /** It goes on after its last finished step; what it costs, its own code tells. */
    @Override
    public Abilities abilities() {
        return new Abilities(true, false, true, false);
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
    public void check(Profile profile, Task task, Path cwd, Map<String, String> environment) {
        if (profile.command().isEmpty() || profile.args().isEmpty()) {
            throw new BadInput(
                    "no_class",
                    "The agent \"%s\" names no class that would do the work.".formatted(profile.name()),
                    howToInstall().replace("agents.x", "agents." + profile.name()));
        }
        Driver.super.check(profile, task, cwd, environment);
    }

    @Override
    public Launch launch(Job job) {
        return new Launch(
                Launch.words(this, job.profile(), List.of(Main.class.getName())),
                Map.of(),
                new Launch.Input.Text(job.promptAfterSystemPrompt()));
    }

    @Override
    public Optional<Dialog> dialog(Job job) {
        return Optional.of(new JavaDialog());
    }
}
