package dev.roost.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.run.Exit;
import dev.roost.run.ProcessId;
import dev.roost.run.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a perch leaves behind, whether its records were opened for it or not, and whichever shell it runs in. */
@Tag("portable")
class PerchTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** What macOS calls sh is bash, and keeps to POSIX when it is called so. */
    private static final List<List<String>> SHELLS = List.of(List.of("/bin/sh"), List.of("/bin/bash", "--posix"));

    record Way(boolean spawns, List<String> shell) {}

    static List<Way> ways() {
        var ways = new ArrayList<Way>();
        for (var shell : SHELLS) {
            ways.add(new Way(false, shell));
            if (Kernel.here().spawns()) ways.add(new Way(true, shell));
        }
        return ways;
    }

    @TempDir
    Path directory;

    private final RunId run = RunId.create(Instant.now());
    private Home home;
    private Perches perches;

    @BeforeEach
    void openHome() throws IOException {
        Files.createDirectory(directory.resolve("scratch"));
        home = Home.open(directory.resolve("home"));
        perches = new Perches(home, Cgroups.none());
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        perches.tree(run, 1, attempt()).kill(Set.of());
    }

    private AttemptDirectory attempt() {
        return home.run(run).attempt(1);
    }

    private ProcessId launch(Way way, String script) throws IOException {
        perches = new Perches(home, Cgroups.none(), way.spawns, way.shell);
        return GuardedDaemon.launch(home, perches, run, script);
    }

    private void awaitGone(ProcessId perch) {
        await().atMost(SOON).until(() -> !Processes.alive(perch));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void it_records_beginning_and_end(Way way) throws IOException {
        var perch = launch(way, "exit 3");
        awaitGone(perch);
        assertThat(attempt().start().orElseThrow().perch()).isEqualTo(perch);
        assertThat(attempt().exit()).contains(new Exit(3, false));
        assertThat(attempt().endedAt()).isPresent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void its_agent_can_write_to_neither_record(Way way) throws IOException {
        awaitGone(launch(way, "for f in /proc/self/fd/*; do readlink $f; done; true"));
        assertThat(Files.readString(attempt().out())).contains("/dev/null").doesNotContain("/start", "/exit");
        assertThat(attempt().exit()).contains(new Exit(0, false));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void an_end_is_recorded_though_the_agent_removed_the_file_for_it(Way way) throws IOException {
        awaitGone(launch(way, "rm -f \"${SCRATCH%/*}\"/home/runs/*/1/exit; kill -9 $$"));
        assertThat(attempt().exit()).contains(new Exit(137, true));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void a_record_that_is_not_written_yet_is_none(Way way) throws IOException {
        launch(way, "sleep 1000");
        await().atMost(SOON).until(() -> attempt().start().isPresent());
        assertThat(attempt().path().resolve("exit")).isEmptyFile();
        assertThat(attempt().exit()).isEmpty();
        assertThat(attempt().endedAt()).isEmpty();
    }
}
