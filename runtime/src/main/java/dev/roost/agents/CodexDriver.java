package dev.roost.agents;

import dev.roost.run.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Codex, by {@code codex exec}. */
final class CodexDriver implements Driver {

    @Override
    public String name() {
        return "codex";
    }

    @Override
    public Abilities abilities() {
        return new Abilities(true, false, false, false);
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
    public Launch launch(Job job) {
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
        var argv = new ArrayList<>(Launch.words(this, job.profile(), words));
        job.session().ifPresent(thread -> argv.addAll(List.of("resume", thread)));
        argv.add("-"); // the prompt comes on standard input
        return new Launch(List.copyOf(argv), Map.of(), new Launch.Input.Text(job.prompt()));
    }

    @Override
    public Optional<Dialog> dialog(Job job) {
        return Optional.of(
                new CodexDialog(job.profile().model(), job.continues(), job.continues() ? job.before() : Usage.NONE));
    }
}
