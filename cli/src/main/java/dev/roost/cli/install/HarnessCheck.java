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
            return finding(name, "bad", String.valueOf(e.getMessage()), Optional.of(e.hint()));
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
        String prefix = version.map(number -> "%s %s".formatted(harness.program(), number))
                .orElse("%s is not on the PATH".formatted(harness.program()));
        try {
            return switch (wired()) {
                case MISSING -> notWired(prefix, version.isPresent());
                case OUTDATED ->
                    fix
                            ? rewrite(prefix)
                            : finding(
                                    "warning",
                                    prefix + "; Roost is wired in, but its entries are outdated",
                                    Optional.of("roost doctor --fix, or review the change first: roost install "
                                            + harness.name()));
                case COMPLETE -> probe(prefix);
            };
        } catch (NotEditable e) {
            return finding("warning", prefix + "; " + e.why(), Optional.of("Correct the file, then try again."));
        } catch (IOException e) {
            return finding(
                    "warning",
                    prefix + "; its files cannot be read: " + CliError.why(e),
                    Optional.of("Check the directory and its permissions."));
        }
    }

    private Optional<String> install() {
        return Optional.of("roost install " + harness.name());
    }

    private ObjectNode rewrite(String prefix) throws IOException {
        var kept = HarnessEditPlan.install(harness).apply(Instant.now()).values();
        return probe(prefix + "; entries rewritten"
                + (kept.isEmpty() ? "" : ", with a backup in " + String.join(", ", kept)));
    }

    private ObjectNode notWired(String prefix, boolean installed) {
        return finding("info", prefix + "; Roost is not wired in", installed ? install() : Optional.empty());
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
                    "bad",
                    prefix + "; " + e.getMessage(),
                    Optional.of("run that command, or " + install().orElseThrow()));
        }
        var obstacle = harness.obstacle().get();
        if (obstacle.isPresent())
            return finding(
                    "warning",
                    prefix + "; " + obstacle.get().why(),
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
