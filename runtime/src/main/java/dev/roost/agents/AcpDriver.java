package dev.roost.agents;

import dev.roost.run.BadInput;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whatever speaks the Agent Client Protocol on its standard input and output. */
final class AcpDriver implements Driver {

    @Override
    public String name() {
        return "acp";
    }

    /** Some tell their cost, and then it is taken; it cannot be counted on. */
    @Override
    public Abilities abilities() {
        return new Abilities(true, true, false, true);
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
    public void check(Profile profile, Task task, Path cwd, Map<String, String> environment) {
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
    public Launch launch(Job job) {
        return new Launch(
                Launch.words(this, job.profile(), List.of()),
                Map.of(),
                new Launch.Input.Pipe(new AcpDialog(job).firstLine()));
    }

    @Override
    public Optional<Dialog> dialog(Job job) {
        return Optional.of(new AcpDialog(job));
    }
}
