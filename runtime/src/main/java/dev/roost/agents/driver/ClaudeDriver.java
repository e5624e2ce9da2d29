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
import java.util.UUID;

/** Runs Claude Code with stream-json in both directions, so that it can be steered and can ask. */
final class ClaudeDriver implements Driver {

    @Override
    public String name() {
        return "claude";
    }

    @Override
    public Capabilities abilities() {
        return new Capabilities(true, true, true, true);
    }

    @Override
    public List<String> program() {
        return List.of("claude");
    }

    @Override
    public String howToInstall() {
        return "Install it: npm install -g @anthropic-ai/claude-code";
    }

    @Override
    public LaunchCommand launch(AttemptJob job) {
        var words = new ArrayList<>(List.of(
                "-p",
                "--input-format",
                "stream-json",
                "--output-format",
                "stream-json",
                "--verbose",
                "--permission-prompt-tool",
                "stdio",
                "--permission-mode",
                switch (job.profile().permissions()) {
                    case SAFE -> "default";
                    case EDIT -> "acceptEdits";
                    case ALL -> "bypassPermissions";
                }));
        words.add(job.continues() ? "--resume" : "--session-id");
        words.add(job.session().orElseGet(() -> UUID.randomUUID().toString()));
        job.profile().model().ifPresent(model -> words.addAll(List.of("--model", model)));
        job.profile().systemPrompt().ifPresent(text -> words.addAll(List.of("--append-system-prompt", text)));
        return new LaunchCommand(
                LaunchCommand.words(this, job.profile(), words),
                Map.of(),
                new LaunchCommand.AgentStdin.Pipe(ClaudeProtocol.userLine(UUID.randomUUID(), job.prompt())));
    }

    @Override
    public Optional<AgentProtocol> dialog(AttemptJob job) {
        return Optional.of(new ClaudeProtocol());
    }
}
