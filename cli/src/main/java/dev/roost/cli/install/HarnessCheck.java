package dev.roost.cli.install;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.edit.NotEditable;
import dev.roost.cli.edit.TextFile;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Checks whether a harness is installed, whether Roost is wired into it, and whether its entries work. */
public record HarnessCheck(Harness harness, HarnessPaths paths) {

    private enum InstallState {
        MISSING,
        OUTDATED,
        COMPLETE
    }

    /** A finding in the daemon's format. {@code fix} also rewrites outdated entries. */
    public static ObjectNode finding(String name, HarnessPaths paths, boolean fix) {
        try {
            return new HarnessCheck(Harness.of(name, paths), paths).finding(fix);
        } catch (CliError e) {
            return finding(name, "bad", String.valueOf(e.getMessage()), e.hint());
        }
    }

    /** Whether it can be wired in; false if its files cannot be read. */
    public static boolean isHereAndNotWired(String name, HarnessPaths paths) {
        try {
            var harness = Harness.of(name, paths);
            return paths.onPath(harness.program()).isPresent()
                    && new HarnessCheck(harness, paths).wired() == InstallState.MISSING;
        } catch (CliError | NotEditable | IOException e) {
            return false;
        }
    }

    private ObjectNode finding(boolean fix) {
        var version =
                paths.onPath(harness.program()).map(program -> HarnessProbe.version(program, paths.environment()));
        var prefix = harness.program() + version.map(" "::concat).orElse(" is not on the PATH");
        var install = "roost install " + harness.name();
        try {
            return switch (wired()) {
                case MISSING -> finding("info", prefix + "; Roost is not wired in", version.isPresent() ? install : "");
                case OUTDATED ->
                    fix
                            ? rewrite(prefix)
                            : finding(
                                    "warning",
                                    prefix + "; Roost is wired in, but its entries are outdated",
                                    "roost doctor --fix, or review the change first: " + install);
                case COMPLETE -> probe(prefix);
            };
        } catch (NotEditable e) {
            return finding("warning", prefix + "; " + e.why(), "Correct the file, then try again.");
        } catch (IOException e) {
            return finding(
                    "warning",
                    prefix + "; its files cannot be read: " + CliError.why(e),
                    "Check the directory and its permissions.");
        }
    }

    private ObjectNode rewrite(String prefix) throws IOException {
        var kept = HarnessEditPlan.install(harness).apply(Instant.now()).values();
        return probe(prefix + "; entries rewritten"
                + (kept.isEmpty() ? "" : ", with a backup in " + String.join(", ", kept)));
    }

    private InstallState wired() throws IOException {
        if (harness.fallback().isPresent()) return InstallState.COMPLETE;
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
        if (all) return InstallState.COMPLETE;
        return some ? InstallState.OUTDATED : InstallState.MISSING;
    }

    private ObjectNode probe(String prefix) throws IOException {
        var probe = HarnessProbe.of(harness, paths.environment());
        var works = new ArrayList<String>(List.of(prefix));
        harness.fallback().ifPresent(how -> works.add("wired in by " + how));
        try {
            probe.hooks().ifPresent(words -> works.add("its hooks answer (%d ms)".formatted(probe.tryHooks(words))));
            works.add("its server offers all five tools (%d ms)".formatted(probe.tryTools(probe.server())));
        } catch (HarnessProbe.ProbeFailedException e) {
            return finding(
                    "bad", prefix + "; " + e.getMessage(), "run that command, or roost install " + harness.name());
        }
        return harness.obstacle()
                .get()
                .map(obstacle -> finding("warning", prefix + "; " + obstacle.why(), obstacle.fix()))
                .orElseGet(() -> finding("good", String.join("; ", works), ""));
    }

    private ObjectNode finding(String level, String message, String fix) {
        return finding(harness.name(), level, message, fix);
    }

    /** {@code fix}: what the user can do; empty for nothing. */
    public static ObjectNode finding(String name, String level, String message, String fix) {
        var finding =
                ClientCommand.params().put("what", name).put("level", level).put("message", message);
        return fix.isEmpty() ? finding : finding.put("fix", fix);
    }
}
