package dev.roost.cli.install;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.edit.NotEditable;
import dev.roost.cli.edit.TextFile;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Says of one harness whether it is there, whether Roost is wired into it, and whether that works. */
public record HarnessCheck(Harness harness, HarnessPaths paths) {

    private enum InstallState {
        NOT,
        OTHERWISE_THAN_NOW,
        WHOLE
    }

    /** A finding in the shape of the daemon's own. {@code fix} also wires it in anew where that is not as it would be now. */
    public static ObjectNode finding(String name, HarnessPaths paths, boolean fix) {
        try {
            return new HarnessCheck(Harness.of(name, paths), paths).finding(fix);
        } catch (CliError e) {
            return finding(name, "bad", String.valueOf(e.getMessage()), Optional.of(e.hint()));
        }
    }

    /** Whether it could be wired in; one whose files cannot be read could not. */
    public static boolean isHereAndNotWired(String name, HarnessPaths paths) {
        try {
            var harness = Harness.of(name, paths);
            return paths.onPath(harness.program()).isPresent()
                    && new HarnessCheck(harness, paths).wired() == InstallState.NOT;
        } catch (CliError | NotEditable | IOException e) {
            return false;
        }
    }

    private ObjectNode finding(boolean fix) {
        var version =
                paths.onPath(harness.program()).map(program -> HarnessProbe.version(program, paths.environment()));
        String there = version.map(number -> "%s %s".formatted(harness.program(), number))
                .orElse("%s is not on the PATH".formatted(harness.program()));
        try {
            return switch (wired()) {
                case NOT -> notWired(there, version.isPresent());
                case OTHERWISE_THAN_NOW ->
                    fix
                            ? anew(there)
                            : finding(
                                    "warning",
                                    there + "; Roost is wired in, but not as it would be now",
                                    Optional.of(
                                            "roost doctor --fix, or see it first: roost install " + harness.name()));
                case WHOLE -> tried(there);
            };
        } catch (NotEditable e) {
            return finding("warning", there + "; " + e.why(), Optional.of("Put that right, then try again."));
        } catch (IOException e) {
            return finding(
                    "warning",
                    there + "; its files cannot be read: " + CliError.why(e),
                    Optional.of("Check the directory and its permissions."));
        }
    }

    private Optional<String> install() {
        return Optional.of("roost install " + harness.name());
    }

    private ObjectNode anew(String there) throws IOException {
        var kept = HarnessEditPlan.install(harness).apply(Instant.now()).values();
        return tried(there + "; wired in anew"
                + (kept.isEmpty() ? "" : ", and what was there is kept as " + String.join(", ", kept)));
    }

    private ObjectNode notWired(String there, boolean installed) {
        return finding("info", there + "; Roost is not wired in", installed ? install() : Optional.empty());
    }

    private InstallState wired() throws IOException {
        if (harness.fallback().isPresent()) return InstallState.WHOLE;
        boolean some = false;
        boolean all = true;
        for (var edit : harness.edits()) {
            try {
                var text = new TextFile(edit.file()).read();
                some |= text.map(edit::isPresentIn).orElse(false);
                all &= text.map(edit::isComplete).orElse(false);
            } catch (NotEditable e) {
                throw NotEditable.because(edit.file() + " " + e.why());
            }
        }
        if (all) return InstallState.WHOLE;
        return some ? InstallState.OTHERWISE_THAN_NOW : InstallState.NOT;
    }

    private ObjectNode tried(String there) throws IOException {
        var trial = HarnessProbe.of(harness, paths.environment());
        var works = new ArrayList<String>(List.of(there));
        harness.fallback().ifPresent(how -> works.add("wired in by " + how));
        try {
            trial.hooks().ifPresent(words -> works.add("its hooks answer (%d ms)".formatted(trial.tryHooks(words))));
            works.add("the five tools are there (%d ms)".formatted(trial.tryTools(trial.server())));
        } catch (HarnessProbe.ProbeFailedException e) {
            return finding(
                    "bad",
                    there + "; " + e.getMessage(),
                    Optional.of("look at what it says, or " + install().orElseThrow()));
        }
        var obstacle = harness.obstacle().get();
        if (obstacle.isPresent())
            return finding(
                    "warning",
                    there + "; " + obstacle.get().why(),
                    Optional.of(obstacle.get().fix()));
        return finding("good", String.join("; ", works), Optional.empty());
    }

    private ObjectNode finding(String level, String message, Optional<String> fix) {
        return finding(harness.name(), level, message, fix);
    }

    public static ObjectNode finding(String name, String level, String message, Optional<String> fix) {
        var finding =
                ClientCommand.params().put("what", name).put("level", level).put("message", message);
        fix.ifPresent(words -> finding.put("fix", words));
        return finding;
    }
}
