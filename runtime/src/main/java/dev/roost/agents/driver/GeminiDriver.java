package dev.roost.agents.driver;

import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Capabilities;
import dev.roost.agents.Driver;
import dev.roost.agents.LaunchCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs Gemini CLI headless. */
final class GeminiDriver implements Driver {

    /** Prevents a relaunch as a process that signals do not reach, and the question whether to trust the directory. */
    private static final Map<String, String> ENVIRONMENT =
            Map.of("GEMINI_CLI_NO_RELAUNCH", "true", "GEMINI_CLI_TRUST_WORKSPACE", "true");

    @Override
    public String name() {
        return "gemini";
    }

    @Override
    public Capabilities abilities() {
        return new Capabilities(true, false, false, false);
    }

    @Override
    public List<String> program() {
        return List.of("gemini");
    }

    @Override
    public String howToInstall() {
        return "Install it: npm install -g @google/gemini-cli";
    }

    @Override
    public LaunchCommand launch(AttemptJob job) {
        var words = new ArrayList<>(List.of(
                "--output-format",
                "stream-json",
                "--approval-mode",
                switch (job.profile().permissions()) {
                    case SAFE -> "default";
                    case EDIT -> "auto_edit";
                    case ALL -> "yolo";
                }));
        job.session().ifPresent(id -> words.addAll(List.of("--resume", id)));
        job.profile().model().ifPresent(model -> words.addAll(List.of("--model", model)));
        return new LaunchCommand(
                LaunchCommand.words(this, job.profile(), words),
                ENVIRONMENT,
                new LaunchCommand.AgentStdin.Text(job.promptAfterSystemPrompt()));
    }

    @Override
    public Optional<AgentProtocol> dialog(AttemptJob job) {
        return Optional.of(new GeminiProtocol());
    }
}
