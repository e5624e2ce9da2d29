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
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a perch leaves behind, whether its records were opened for it or not. */
class PerchTest {

    private static final Duration SOON = Duration.ofSeconds(30);

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

    private ProcessId launch(boolean spawns, String script) throws IOException {
        perches = new Perches(home, Cgroups.none(), spawns);
        return GuardedDaemon.launch(home, perches, run, script);
    }

    private void awaitGone(ProcessId perch) {
        await().atMost(SOON).until(() -> !Processes.alive(perch));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void it_records_beginning_and_end(boolean spawns) throws IOException {
        var perch = launch(spawns, "exit 3");
        awaitGone(perch);
        assertThat(attempt().start().orElseThrow().perch()).isEqualTo(perch);
        assertThat(attempt().exit()).contains(new Exit(3, false));
        assertThat(attempt().endedAt()).isPresent();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void its_agent_can_write_to_neither_record(boolean spawns) throws IOException {
        awaitGone(launch(spawns, "for f in /proc/self/fd/*; do readlink $f; done; true"));
        assertThat(Files.readString(attempt().out())).contains("/dev/null").doesNotContain("/start", "/exit");
        assertThat(attempt().exit()).contains(new Exit(0, false));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_end_is_recorded_though_the_agent_removed_the_file_for_it(boolean spawns) throws IOException {
        awaitGone(launch(spawns, "rm -f \"${SCRATCH%/*}\"/home/runs/*/1/exit; kill -9 $$"));
        assertThat(attempt().exit()).contains(new Exit(137, true));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_record_that_is_not_written_yet_is_none(boolean spawns) throws IOException {
        launch(spawns, "sleep 1000");
        await().atMost(SOON).until(() -> attempt().start().isPresent());
        assertThat(attempt().path().resolve("exit")).isEmptyFile();
        assertThat(attempt().exit()).isEmpty();
        assertThat(attempt().endedAt()).isEmpty();
    }
}
