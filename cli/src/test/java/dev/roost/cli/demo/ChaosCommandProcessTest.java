package dev.roost.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.chaos.Fault;
import dev.roost.cli.client.CliError;
import dev.roost.cli.testing.CliFixture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@code roost doctor --chaos}. */
class ChaosCommandProcessTest extends CliFixture {

    private static Set<Path> scenes() throws Exception {
        var scenes = new HashSet<Path>();
        try (var all = Files.newDirectoryStream(Path.of("/var/tmp"), "roost-chaos-*")) {
            for (var scene : all) if (scene.getFileName().toString().matches("roost-chaos-[0-9]+")) scenes.add(scene);
        }
        return scenes;
    }

    @Test
    void every_fault_is_injected_every_promise_kept_and_everything_cleaned_up() throws Exception {
        var before = scenes();
        var ran = cold("doctor", "--chaos", "--minutes", "0.35", "--seed", "7", "--json");
        var verdict = ran.json();
        assertThat(verdict.path("verdict").asString()).as(ran.out()).isEqualTo("kept");
        assertThat(ran.exit()).isZero();
        assertThat(verdict.path("seed").asLong()).isEqualTo(7);
        for (var fault : Fault.values())
            assertThat(verdict.path("faults").path(fault.word()).asInt() > 0
                            || verdict.path("skipped").has(fault.word()))
                    .as(fault.word())
                    .isTrue();
        assertThat(verdict.path("runs").asInt()).isPositive();
        assertThat(verdict.path("ends")).isEqualTo(verdict.path("runs"));
        assertThat(verdict.path("notices")).isEqualTo(verdict.path("runs"));
        for (var count : new String[] {"lost", "doubled", "orphans", "lies"})
            assertThat(verdict.path(count).asInt()).as(count).isZero();
        assertThat(verdict.has("timeline")).isFalse();
        assertThat(scenes()).isEqualTo(before);
        assertThat(home).as("the caller's own home").doesNotExist();
    }

    @Test
    void ctrl_c_ends_chaos_and_all_of_its_processes() throws Exception {
        var before = scenes();
        var chaos = launch(Map.of(), "doctor", "--chaos", "--minutes", "10", "--seed", "8");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !aliveIn(newScenes(before)).isEmpty());
        var scene = newScenes(before);
        new ProcessBuilder("kill", "-INT", Long.toString(chaos.pid())).start().waitFor();
        assertThat(chaos.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(chaos.exitValue()).isEqualTo(130);
        assertThat(aliveIn(scene)).isEmpty();
        assertThat(scenes()).isEqualTo(before);
    }

    private static Set<Path> newScenes(Set<Path> before) throws Exception {
        var scenes = scenes();
        scenes.removeAll(before);
        return scenes;
    }

    /** Daemons and agents of the scenes, found by their environment. */
    private static Set<String> aliveIn(Set<Path> scenes) throws Exception {
        var alive = new HashSet<String>();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : all)
                for (var scene : scenes)
                    if (environment(process).contains("=" + scene + "/")) alive.add(process.toString());
        }
        return alive;
    }

    private static String environment(Path process) {
        try {
            return Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
        } catch (java.io.IOException e) {
            return "";
        }
    }

    @Test
    void invalid_options_are_refused() {
        assertThat(roost("doctor", "--chaos", "--minutes", "soon").exit()).isEqualTo(CliError.USAGE);
        assertThat(roost("doctor", "--chaos", "--minutes", "0").exit()).isEqualTo(CliError.USAGE);
        assertThat(roost("doctor", "--chaos", "--seed", "x").exit()).isEqualTo(CliError.USAGE);
        assertThat(roost("doctor", "--seed", "4").exit()).isEqualTo(CliError.USAGE);
    }
}
