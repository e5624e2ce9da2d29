package dev.roost.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.home.PrivateFiles;
import dev.roost.model.ProcessId;
import dev.roost.process.ProcessTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The environment, session, signals and open files of a spawned program. */
class SpawnProcessTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    Path scratch;

    /** Runs {@code script} and returns what it wrote to descriptor 3. */
    private String run(Map<String, String> environment, String script) throws IOException {
        var output = Files.createFile(scratch.resolve("output"));
        var done = Files.createFile(scratch.resolve("done"));
        ProcessSpawner.start(
                List.of("/bin/sh", "-c", script + "; echo done >&4"), environment, scratch, List.of(output, done));
        await().atMost(SOON).until(() -> Files.size(done) > 0);
        return Files.readString(output);
    }

    @Test
    void the_spawner_works_on_this_machine() {
        assertThat(ProcessSpawner.WORKS).isTrue();
    }

    @Test
    void a_program_gets_exactly_the_given_environment() throws IOException {
        var output = run(Map.of("A", "b=c\nd", "É", "ü", "EMPTY", ""), "cat /proc/$$/environ >&3");
        assertThat(output.split("\0")).containsExactlyInAnyOrder("A=b=c\nd", "É=ü", "EMPTY=");
    }

    @Test
    void a_program_leads_a_session_in_its_directory_without_ignored_or_blocked_signals() throws IOException {
        // the shell itself reads the files: it blocks signals for a moment while it starts another program
        var output = run(
                Map.of(),
                "cd -P . && echo $PWD >&3; echo $$ >&3;"
                        + " for f in status stat; do while read -r line; do echo \"$line\" >&3; done </proc/$$/$f; done");
        var lines = output.lines().toList();
        long pid = Long.parseLong(lines.get(1));
        assertThat(lines.getFirst()).isEqualTo(scratch.toRealPath().toString());
        assertThat(lines).contains("SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000");
        assertThat(lines.getLast().split(" ", -1)[5]).as("its session").isEqualTo(Long.toString(pid));
    }

    @Test
    void a_program_gets_no_open_file_of_this_process() throws IOException {
        try (var _ = PrivateFiles.open(scratch.resolve("ours"), java.nio.file.StandardOpenOption.CREATE)) {
            var output = run(Map.of(), "for f in /proc/$$/fd/*; do readlink $f >&3; done");
            assertThat(output.lines())
                    .containsOnly(
                            "/dev/null",
                            scratch.toRealPath().resolve("output").toString(),
                            scratch.toRealPath().resolve("done").toString());
            assertThat(output.lines()).hasSize(5);
        }
    }

    @Test
    void records_are_opened_with_o_sync() throws IOException {
        var output = run(Map.of(), "cat /proc/$$/fdinfo/3 >&3");
        long flags = Long.parseLong(
                output.lines()
                        .filter(line -> line.startsWith("flags:"))
                        .findFirst()
                        .orElseThrow()
                        .substring(6)
                        .strip(),
                8);
        assertThat(flags & 0x101000).as("O_SYNC").isEqualTo(0x101000);
    }

    @Test
    void a_child_is_reaped_before_its_exit_is_reported() throws Exception {
        long pid = ProcessSpawner.start(
                List.of("/bin/sh", "-c", "exec sleep 1000"), Map.of("PATH", "/usr/bin:/bin"), scratch, List.of());
        var id = Processes.row(pid).orElseThrow().id();
        var reported = new CountDownLatch(1);
        try (var exits = ExitWatcher.open()) {
            exits.watch(id, reported::countDown);
            ProcessTree.kill(id);
            assertThat(reported.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(Processes.row(pid).map(Processes.Row::id)).isNotEqualTo(java.util.Optional.of(id));
        }
    }

    @Test
    void a_child_that_ended_before_it_was_watched_is_reaped() throws Exception {
        long pid = ProcessSpawner.start(List.of("/bin/sh", "-c", ":"), Map.of(), scratch, List.of());
        await().atMost(SOON).until(() -> Processes.row(pid).orElseThrow().state() == 'Z');
        var id = new ProcessId(pid, Processes.row(pid).orElseThrow().id().startTicks());
        var reported = new CountDownLatch(1);
        try (var exits = ExitWatcher.open()) {
            exits.watch(id, reported::countDown);
            assertThat(reported.getCount()).isZero();
            assertThat(Processes.row(pid)).isEmpty();
        }
    }

    @Test
    void a_failed_start_reports_the_reason() {
        var nowhere = scratch.resolve("nowhere");
        assertThatThrownBy(() -> ProcessSpawner.start(List.of("/bin/sh"), Map.of(), nowhere, List.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(nowhere.toString())
                .hasMessageContaining("No such file or directory");
        assertThatThrownBy(() -> ProcessSpawner.start(List.of("/bin/sh", "a\0b"), Map.of(), scratch, List.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("NUL");
    }
}
