package dev.roost.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.home.AttemptDirectory;
import dev.roost.home.AttemptSpec;
import dev.roost.home.Home;
import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.os.Kernel;
import dev.roost.os.Processes;
import dev.roost.testing.StubDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a perch leaves behind, whether its records were opened for it or not, and whichever shell it runs in. */
@Tag("portable")
class PerchProcessTest {

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
    private PerchLauncher launcher;

    @BeforeEach
    void openHome() throws IOException {
        Files.createDirectory(directory.resolve("scratch"));
        home = Home.open(directory.resolve("home"));
        launcher = new PerchLauncher(home, Cgroups.none());
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        launcher.tree(run, 1, attempt()).kill(Set.of());
    }

    private AttemptDirectory attempt() {
        return home.run(run).attempt(1);
    }

    private ProcessId launch(Way way, String script) throws IOException {
        launcher = new PerchLauncher(home, Cgroups.none(), way.spawns, way.shell);
        return StubDaemon.launch(home, launcher, run, script);
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

    private ProcessId launch(Way way, AttemptSpec.Input input, Map<String, String> environment, String script)
            throws IOException {
        launcher = new PerchLauncher(home, Cgroups.none(), way.spawns, way.shell);
        return StubDaemon.launch(home, launcher, run, StubDaemon.prepare(home, run, script, input, environment));
    }

    private void awaitSaid(String text) {
        await().atMost(SOON)
                .until(() -> Files.exists(attempt().out())
                        && Files.readString(attempt().out()).contains(text));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void its_agent_gets_each_line_once_as_it_comes_and_the_end_of_its_input(Way way) throws IOException {
        var perch = launch(
                way,
                AttemptSpec.Input.PIPE,
                Map.of(),
                "while read -r line; do echo \"got $line\"; done; echo that was all; exit 3");
        awaitSaid("got one\n");
        attempt().addInputLine(2, Optional.of("two"));
        awaitSaid("got two\n");
        attempt().addInputLine(2, Optional.of("two")); // again changes nothing
        attempt().addInputLine(3, Optional.of("three"));
        awaitSaid("got three\n");
        assertThat(attempt().exit()).isEmpty();
        attempt().addInputLine(4, Optional.empty());
        awaitGone(perch);
        assertThat(Files.readString(attempt().out())).isEqualTo("got one\ngot two\ngot three\nthat was all\n");
        assertThat(attempt().exit()).contains(new Exit(3, false));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void one_that_is_asked_to_end_stays_to_record_how_its_agent_did(Way way) throws IOException {
        var perch = launch(
                way,
                AttemptSpec.Input.PIPE,
                Map.of(),
                "trap 'echo asked; exit 5' TERM; echo ready; while :; do read -r line || sleep 0.1; done");
        awaitSaid("ready");
        ProcessTree.terminate(perch);
        attempt().addInputLine(2, Optional.of("two"));
        assertThat(attempt().exit()).isEmpty();
        assertThat(Processes.alive(perch)).isTrue();
        await().atMost(SOON).until(() -> attempt().start().isPresent());
        attempt().addInputLine(3, Optional.empty());
        ProcessTree.terminate(attempt().start().orElseThrow().agent());
        awaitGone(perch);
        assertThat(attempt().exit()).contains(new Exit(5, false));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void one_whose_agent_dies_of_term_says_so_though_its_input_is_open(Way way) throws IOException {
        var perch = launch(way, AttemptSpec.Input.PIPE, Map.of(), "echo ready; exec sleep 1000");
        awaitSaid("ready");
        ProcessTree.terminate(attempt().start().orElseThrow().agent());
        awaitGone(perch);
        assertThat(attempt().exit()).contains(new Exit(143, true));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void what_perl_would_read_keeps_nothing_from_starting_and_reaches_the_agent(Way way) throws IOException {
        var callers = Map.of("PERL5OPT", "-MNo::Such", "PERL5LIB", "/nowhere", "PERL5DB", "die", "PERL_UNICODE", "é");
        awaitGone(launch(way, AttemptSpec.Input.NOTHING, callers, "env | grep PERL | sort"));
        assertThat(Files.readString(attempt().out()))
                .isEqualTo("PERL5DB=die\nPERL5LIB=/nowhere\nPERL5OPT=-MNo::Such\nPERL_UNICODE=é\n");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void an_end_is_recorded_where_there_is_no_sync(Way way) throws IOException {
        var tools = Files.createDirectory(directory.resolve("tools"));
        for (var tool : List.of("sh", "ps", "mv", "sleep"))
            Files.copy(Path.of("/bin", tool), tools.resolve(tool), StandardCopyOption.COPY_ATTRIBUTES);
        var shell = new ArrayList<>(way.shell);
        shell.addAll(List.of("-c", "PATH='%s'; . \"$0\"".formatted(tools)));
        awaitGone(launch(new Way(way.spawns, shell), "exit 4"));
        assertThat(attempt().exit()).contains(new Exit(4, false));
    }
}
