package dev.roost.agents.driver;

import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Capabilities;
import dev.roost.agents.Driver;
import dev.roost.agents.JsonLines;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Permissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs OpenCode with {@code opencode run}. */
final class OpenCodeDriver implements Driver {

    @Override
    public String name() {
        return "opencode";
    }

    @Override
    public Capabilities abilities() {
        return new Capabilities(true, false, true, false);
    }

    @Override
    public List<String> program() {
        return List.of("opencode");
    }

    @Override
    public String howToInstall() {
        return "Install it: npm install -g opencode-ai";
    }

    @Override
    public LaunchCommand launch(AttemptJob job) {
        var words = new ArrayList<>(List.of("run", "--format", "json"));
        job.session().ifPresent(id -> words.addAll(List.of("--session", id)));
        job.profile().model().ifPresent(model -> words.addAll(List.of("--model", model)));
        if (job.profile().permissions() == Permissions.ALL) words.add("--auto");
        return new LaunchCommand(
                LaunchCommand.words(this, job.profile(), words),
                permissions(job.profile().permissions()),
                new LaunchCommand.AgentStdin.Text(job.promptAfterSystemPrompt()));
    }

    /** Denies what is not allowed, so that OpenCode continues without it: an unanswerable question would end the run. */
    private static Map<String, String> permissions(Permissions permissions) {
        if (permissions == Permissions.ALL) return Map.of();
        var rules = JsonLines.object()
                .put("edit", permissions == Permissions.EDIT ? "allow" : "deny")
                .put("bash", "deny")
                .put("external_directory", "deny");
        return Map.of("OPENCODE_PERMISSION", rules.toString());
    }

    @Override
    public Optional<AgentProtocol> dialog(AttemptJob job) {
        return Optional.of(new OpenCodeProtocol(job.profile().model()));
    }
}
