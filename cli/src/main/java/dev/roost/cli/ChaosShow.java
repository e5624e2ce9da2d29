package dev.roost.cli;

import dev.roost.cli.chaos.Chaos;
import dev.roost.cli.chaos.Scene;
import dev.roost.cli.chaos.Sweep;
import dev.roost.cli.chaos.ThrowAway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code roost doctor --chaos}. Where the machine allows it, the program is started once more in a mount namespace, where the home
 * has a filesystem of its own that can be filled.
 */
final class ChaosShow {

    private final double minutes;
    private final long seed;
    private final boolean json;

    ChaosShow(double minutes, long seed, boolean json) {
        this.minutes = minutes;
        this.seed = seed;
        this.json = json;
    }

    int open() {
        if (!Files.exists(Path.of("/proc/self/environ")))
            throw new CliError(
                    CliError.REFUSED, "no_proc", "Chaos needs /proc, to hit the right processes.", "Try it on Linux.");
        try {
            var scene = new Scene(ThrowAway.directory("roost-chaos-"));
            Files.createDirectories(scene.home());
            int exit = CliError.FAILED;
            var ending = new Ending();
            try {
                exit = ChaosSpace.around(scene)
                        .map(space -> inside(space, scene, ending))
                        .orElseGet(() -> play(scene, Optional.of("unshare and mount are not allowed here"), ending));
                return exit;
            } finally {
                Sweep.clean(scene);
                if (exit != CliError.FAILED) ThrowAway.remove(scene.base());
                ending.close();
            }
        } catch (IOException e) {
            throw noScene(e);
        }
    }

    static CliError noScene(IOException e) {
        return new CliError(
                CliError.FAILED,
                "no_scene",
                "There is no place to play: %s.".formatted(CliError.why(e)),
                "Make room in /var/tmp, or in your home.");
    }

    private int inside(List<String> space, Scene scene, Ending ending) {
        var words = new ArrayList<>(space);
        words.addAll(ChaosSpace.program(Style.TERMINAL));
        words.addAll(List.of(
                "doctor",
                "--chaos",
                "--scene",
                scene.base().toString(),
                "--minutes",
                Double.toString(minutes),
                "--seed",
                Long.toString(seed)));
        if (json) words.add("--json");
        try {
            var process = new ProcessBuilder(words).inheritIO().start();
            ending.by(process::destroy);
            return process.waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@code noDisk}: why the home has no filesystem of its own. */
    private int play(Scene scene, Optional<String> noDisk, Ending ending) {
        var report = new ChaosReport(seed, minutes, json);
        report.begin();
        try (var door = new ChaosDoor(scene, ChaosSpace.program(false))) {
            var chaos = new Chaos(scene, door, seed, noDisk, report::progress);
            ending.by(chaos::interrupt);
            if (noDisk.isEmpty()) endWithItsStarter(chaos);
            var verdict = chaos.play(minutes * 60);
            Sweep.clean(scene);
            if (chaos.interrupted()) return report.interrupted();
            report.print(verdict.good() ? verdict : verdict.kept(scene.keep()));
            return verdict.good() ? 0 : CliError.FAILED;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } finally {
            Sweep.clean(scene);
        }
    }

    static int of(@Nullable String minutes, @Nullable Long seed, boolean json, @Nullable Path scene) {
        var show = new ChaosShow(length(minutes), seed == null ? System.nanoTime() % 100_000 : seed, json);
        if (scene == null) return show.open();
        try (var ending = new Ending()) {
            return show.play(new Scene(scene), Optional.empty(), ending);
        }
    }

    private static double length(@Nullable String minutes) {
        if (minutes == null) return 1;
        try {
            double length = Double.parseDouble(minutes);
            if (length > 0 && length <= 24 * 60) return length;
        } catch (NumberFormatException e) {
            // said below
        }
        throw new CliError(
                CliError.USAGE,
                "usage",
                "--minutes %s is not a number of minutes.".formatted(Style.visible(minutes)),
                "Give one, e.g. --minutes 5; at most 1440.");
    }

    private static void endWithItsStarter(Chaos chaos) {
        ProcessHandle.current().parent().ifPresent(starter -> {
            var _ = starter.onExit().thenRun(chaos::interrupt);
        });
    }
}
