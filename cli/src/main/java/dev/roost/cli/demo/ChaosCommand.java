package dev.roost.cli.demo;

import dev.roost.chaos.Chaos;
import dev.roost.chaos.ChaosHome;
import dev.roost.chaos.Sweep;
import dev.roost.chaos.TemporaryDirectory;
import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.InterruptHandler;
import dev.roost.cli.client.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code roost doctor --chaos}. Where the machine allows it, restarts itself in a mount namespace, in which the home is on a
 * separate filesystem that can be filled.
 */
public record ChaosCommand(double minutes, long seed, boolean json) {

    int open() {
        if (!Files.exists(Path.of("/proc/self/environ")))
            throw CliErrorCode.NO_PROC.error("Chaos needs /proc, to find the processes to kill.");
        try {
            var home = new ChaosHome(TemporaryDirectory.directory("roost-chaos-"));
            Files.createDirectories(home.home());
            int exit = CliError.FAILED;
            var interruptHandler = new InterruptHandler();
            try {
                exit = ChaosMountNamespace.commandPrefix(home)
                        .map(namespace -> inside(namespace, home, interruptHandler))
                        .orElseGet(() ->
                                play(home, Optional.of("unshare and mount are not allowed here"), interruptHandler));
                return exit;
            } finally {
                Sweep.clean(home);
                if (exit != CliError.FAILED) TemporaryDirectory.remove(home.base());
                interruptHandler.close();
            }
        } catch (IOException e) {
            throw noScene(e);
        }
    }

    static CliError noScene(IOException e) {
        return CliErrorCode.NO_SCENE.error("The temporary home cannot be created: %s.".formatted(CliError.why(e)));
    }

    private int inside(List<String> namespace, ChaosHome home, InterruptHandler interruptHandler) {
        var words = new ArrayList<>(namespace);
        words.addAll(ChaosMountNamespace.program(Style.TERMINAL));
        words.addAll(List.of(
                "doctor",
                "--chaos",
                "--scene",
                home.base().toString(),
                "--minutes",
                Double.toString(minutes),
                "--seed",
                Long.toString(seed)));
        if (json) words.add("--json");
        try {
            var process = new ProcessBuilder(words).inheritIO().start();
            interruptHandler.onInterrupt(process::destroy);
            return process.waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@code noDisk}: why the home has no separate filesystem. */
    private int play(ChaosHome home, Optional<String> noDisk, InterruptHandler interruptHandler) {
        var report = new ChaosReport(seed, minutes, json);
        report.begin();
        try (var access = new ChaosClient(home, ChaosMountNamespace.program(false))) {
            var chaos = new Chaos(home, access, seed, noDisk, report::progress);
            interruptHandler.onInterrupt(chaos::interrupt);
            if (noDisk.isEmpty()) stopWithParent(chaos);
            var verdict = chaos.play(minutes * 60);
            Sweep.clean(home);
            if (chaos.interrupted()) return report.interrupted();
            report.print(verdict.good() ? verdict : verdict.kept(home.keep()));
            return verdict.good() ? 0 : CliError.FAILED;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } finally {
            Sweep.clean(home);
        }
    }

    public static int of(@Nullable String minutes, @Nullable Long seed, boolean json, @Nullable Path scene) {
        var command = new ChaosCommand(length(minutes), seed == null ? System.nanoTime() % 100_000 : seed, json);
        if (scene == null) return command.open();
        try (var interruptHandler = new InterruptHandler()) {
            return command.play(new ChaosHome(scene), Optional.empty(), interruptHandler);
        }
    }

    private static double length(@Nullable String minutes) {
        if (minutes == null) return 1;
        try {
            double length = Double.parseDouble(minutes);
            if (length > 0 && length <= 24 * 60) return length;
        } catch (NumberFormatException e) {
            // reported below
        }
        throw CliErrorCode.USAGE.error(
                "--minutes %s is not a number of minutes.".formatted(Style.visible(minutes)),
                "Pass one, e.g. --minutes 5; at most 1440.");
    }

    private static void stopWithParent(Chaos chaos) {
        ProcessHandle.current().parent().ifPresent(starter -> {
            var _ = starter.onExit().thenRun(chaos::interrupt);
        });
    }
}
