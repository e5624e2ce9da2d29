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

/** The records of a perch, with and without records opened by the daemon, and in different shells. */
@Tag("portable")
class PerchProcessTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** On macOS, sh is bash in POSIX mode. */
    private static final List<List<String>> SHELLS = List.of(List.of("/bin/sh"), List.of("/bin/bash", "--posix"));

    record Variant(boolean spawns, List<String> shell) {}

    static List<Variant> variants() {
        var variants = new ArrayList<Variant>();
        for (var shell : SHELLS) {
            variants.add(new Variant(false, shell));
            if (Kernel.here().spawns()) variants.add(new Variant(true, shell));
        }
        return variants;
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
    void killProcesses() throws IOException {
        launcher.tree(run, 1, attempt()).kill(Set.of());
    }

    private AttemptDirectory attempt() {
        return home.run(run).attempt(1);
    }

    private ProcessId launch(Variant variant, String script) throws IOException {
        launcher = new PerchLauncher(home, Cgroups.none(), variant.spawns, variant.shell);
        return StubDaemon.launch(home, launcher, run, script);
    }

    private void awaitGone(ProcessId perch) {
        await().atMost(SOON).until(() -> !Processes.alive(perch));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void a_perch_records_start_and_exit(Variant variant) throws IOException {
        var perch = launch(variant, "exit 3");
        awaitGone(perch);
        assertThat(attempt().start().orElseThrow().perch()).isEqualTo(perch);
        assertThat(attempt().exit()).contains(new Exit(3, false));
        assertThat(attempt().endedAt()).isPresent();
    }

    @ParameterizedTest
    @MethodSource("variants")
    void the_agent_has_no_descriptor_of_a_record(Variant variant) throws IOException {
        awaitGone(launch(variant, "for f in /proc/self/fd/*; do readlink $f; done; true"));
        assertThat(Files.readString(attempt().out())).contains("/dev/null").doesNotContain("/start", "/exit");
        assertThat(attempt().exit()).contains(new Exit(0, false));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void an_exit_is_recorded_even_if_the_agent_removed_the_record(Variant variant) throws IOException {
        awaitGone(launch(variant, "rm -f \"${SCRATCH%/*}\"/home/runs/*/1/exit; kill -9 $$"));
        assertThat(attempt().exit()).contains(new Exit(137, true));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void an_empty_record_counts_as_absent(Variant variant) throws IOException {
        launch(variant, "sleep 1000");
        await().atMost(SOON).until(() -> attempt().start().isPresent());
        assertThat(attempt().path().resolve("exit")).isEmptyFile();
        assertThat(attempt().exit()).isEmpty();
        assertThat(attempt().endedAt()).isEmpty();
    }

    private ProcessId launch(Variant variant, AttemptSpec.Input input, Map<String, String> environment, String script)
            throws IOException {
        launcher = new PerchLauncher(home, Cgroups.none(), variant.spawns, variant.shell);
        return StubDaemon.launch(home, launcher, run, StubDaemon.prepare(home, run, script, input, environment));
    }

    private void awaitOutput(String text) {
        await().atMost(SOON)
                .until(() -> Files.exists(attempt().out())
                        && Files.readString(attempt().out()).contains(text));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void the_agent_gets_each_input_line_once_and_then_the_end_of_input(Variant variant) throws IOException {
        var perch = launch(
                variant,
                AttemptSpec.Input.PIPE,
                Map.of(),
                "while read -r line; do echo \"got $line\"; done; echo that was all; exit 3");
        awaitOutput("got one\n");
        attempt().addInputLine(2, Optional.of("two"));
        awaitOutput("got two\n");
        attempt().addInputLine(2, Optional.of("two")); // a repeated line has no effect
        attempt().addInputLine(3, Optional.of("three"));
        awaitOutput("got three\n");
        assertThat(attempt().exit()).isEmpty();
        attempt().addInputLine(4, Optional.empty());
        awaitGone(perch);
        assertThat(Files.readString(attempt().out())).isEqualTo("got one\ngot two\ngot three\nthat was all\n");
        assertThat(attempt().exit()).contains(new Exit(3, false));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void a_perch_that_gets_term_stays_to_record_the_exit_of_its_agent(Variant variant) throws IOException {
        var perch = launch(
                variant,
                AttemptSpec.Input.PIPE,
                Map.of(),
                "trap 'echo asked; exit 5' TERM; echo ready; while :; do read -r line || sleep 0.1; done");
        awaitOutput("ready");
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
    @MethodSource("variants")
    void a_death_by_term_is_recorded_while_the_input_is_open(Variant variant) throws IOException {
        var perch = launch(variant, AttemptSpec.Input.PIPE, Map.of(), "echo ready; exec sleep 1000");
        awaitOutput("ready");
        ProcessTree.terminate(attempt().start().orElseThrow().agent());
        awaitGone(perch);
        assertThat(attempt().exit()).contains(new Exit(143, true));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void perl_variables_do_not_break_the_perch_and_reach_the_agent(Variant variant) throws IOException {
        var callers = Map.of("PERL5OPT", "-MNo::Such", "PERL5LIB", "/nowhere", "PERL5DB", "die", "PERL_UNICODE", "é");
        awaitGone(launch(variant, AttemptSpec.Input.NOTHING, callers, "env | grep PERL | sort"));
        assertThat(Files.readString(attempt().out()))
                .isEqualTo("PERL5DB=die\nPERL5LIB=/nowhere\nPERL5OPT=-MNo::Such\nPERL_UNICODE=é\n");
    }

    @ParameterizedTest
    @MethodSource("variants")
    void an_exit_is_recorded_without_the_sync_command(Variant variant) throws IOException {
        var tools = Files.createDirectory(directory.resolve("tools"));
        for (var tool : List.of("sh", "ps", "mv", "sleep"))
            Files.copy(Path.of("/bin", tool), tools.resolve(tool), StandardCopyOption.COPY_ATTRIBUTES);
        var shell = new ArrayList<>(variant.shell);
        shell.addAll(List.of("-c", "PATH='%s'; . \"$0\"".formatted(tools)));
        awaitGone(launch(new Variant(variant.spawns, shell), "exit 4"));
        assertThat(attempt().exit()).contains(new Exit(4, false));
    }
}
