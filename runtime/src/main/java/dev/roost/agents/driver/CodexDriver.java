package dev.roost.agents.driver;

import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Capabilities;
import dev.roost.agents.Driver;
import dev.roost.agents.JsonLines;
import dev.roost.agents.LaunchCommand;
import dev.roost.model.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs Codex with {@code codex exec}. */
final class CodexDriver implements Driver {

    @Override
    public String name() {
        return "codex";
    }

    @Override
    public Capabilities abilities() {
        return new Capabilities(true, false, false, false);
    }

    @Override
    public List<String> program() {
        return List.of("codex");
    }

    @Override
    public String howToInstall() {
        return "Install it: npm install -g @openai/codex";
    }

    @Override
    public LaunchCommand launch(AttemptJob job) {
        var words = new ArrayList<>(List.of("exec", "--json", "--skip-git-repo-check"));
        words.addAll(
                switch (job.profile().permissions()) {
                    case SAFE -> List.of("--sandbox", "read-only");
                    case EDIT -> List.of("--sandbox", "workspace-write");
                    case ALL -> List.of("--dangerously-bypass-approvals-and-sandbox");
                });
        job.profile().model().ifPresent(model -> words.addAll(List.of("--model", model)));
        job.profile()
                .systemPrompt()
                .ifPresent(text -> words.addAll(List.of("-c", "developer_instructions=" + JsonLines.quoted(text))));
        var argv = new ArrayList<>(LaunchCommand.words(this, job.profile(), words));
        job.session().ifPresent(thread -> argv.addAll(List.of("resume", thread)));
        argv.add("-"); // the prompt comes on standard input
        return new LaunchCommand(List.copyOf(argv), Map.of(), new LaunchCommand.AgentStdin.Text(job.prompt()));
    }

    @Override
    public Optional<AgentProtocol> dialog(AttemptJob job) {
        return Optional.of(
                new CodexProtocol(job.profile().model(), job.continues(), job.continues() ? job.before() : Usage.NONE));
    }
}
