package dev.roost.agents;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Claude Code, spoken to in stream-json both ways, so that it can be steered and can ask. */
final class ClaudeDriver implements Driver {

    @Override
    public String name() {
        return "claude";
    }

    @Override
    public Abilities abilities() {
        return new Abilities(true, true, true, true);
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
    public Launch launch(Job job) {
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
        return new Launch(
                Launch.words(this, job.profile(), words),
                Map.of(),
                new Launch.Input.Pipe(ClaudeDialog.userLine(UUID.randomUUID(), job.prompt())));
    }

    @Override
    public Optional<Dialog> dialog(Job job) {
        return Optional.of(new ClaudeDialog());
    }
}
