package dev.roost.agents;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** OpenCode, by {@code opencode run}. */
final class OpenCodeDriver implements Driver {

    @Override
    public String name() {
        return "opencode";
    }

    @Override
    public Abilities abilities() {
        return new Abilities(true, false, true, false);
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
    public Launch launch(Job job) {
        var words = new ArrayList<>(List.of("run", "--format", "json"));
        job.session().ifPresent(id -> words.addAll(List.of("--session", id)));
        job.profile().model().ifPresent(model -> words.addAll(List.of("--model", model)));
        if (job.profile().permissions() == Permissions.ALL) words.add("--auto");
        return new Launch(
                Launch.words(this, job.profile(), words),
                permissions(job.profile().permissions()),
                new Launch.Input.Text(job.promptAfterSystemPrompt()));
    }

    /** A question would be its end, for nobody can answer it: what is not allowed is denied, and it goes on without. */
    private static Map<String, String> permissions(Permissions permissions) {
        if (permissions == Permissions.ALL) return Map.of();
        var rules = JsonLines.object()
                .put("edit", permissions == Permissions.EDIT ? "allow" : "deny")
                .put("bash", "deny")
                .put("external_directory", "deny");
        return Map.of("OPENCODE_PERMISSION", rules.toString());
    }

    @Override
    public Optional<Dialog> dialog(Job job) {
        return Optional.of(new OpenCodeDialog(job.profile().model()));
    }
}
