package dev.roost.agents;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Gemini CLI, headless. */
final class GeminiDriver implements Driver {

    /** It would relaunch itself, out of reach of signals, and ask a person whether it may trust the directory. */
    private static final Map<String, String> ENVIRONMENT =
            Map.of("GEMINI_CLI_NO_RELAUNCH", "true", "GEMINI_CLI_TRUST_WORKSPACE", "true");

    @Override
    public String name() {
        return "gemini";
    }

    @Override
    public Abilities abilities() {
        return new Abilities(true, false, false, false);
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
    public Launch launch(Job job) {
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
        return new Launch(
                Launch.words(this, job.profile(), words),
                ENVIRONMENT,
                new Launch.Input.Text(job.promptAfterSystemPrompt()));
    }

    @Override
    public Optional<Dialog> dialog(Job job) {
        return Optional.of(new GeminiDialog());
    }
}
