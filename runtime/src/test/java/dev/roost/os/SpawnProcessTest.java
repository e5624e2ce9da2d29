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

/** What a program that we start finds itself in. */
class SpawnProcessTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    Path scratch;

    /** What {@code script}, with its words on descriptor 3, wrote there. */
    private String run(Map<String, String> environment, String script) throws IOException {
        var said = Files.createFile(scratch.resolve("said"));
        var done = Files.createFile(scratch.resolve("done"));
        ProcessSpawner.start(
                List.of("/bin/sh", "-c", script + "; echo done >&4"), environment, scratch, List.of(said, done));
        await().atMost(SOON).until(() -> Files.size(done) > 0);
        return Files.readString(said);
    }

    @Test
    void this_machine_can() {
        assertThat(ProcessSpawner.WORKS).isTrue();
    }

    @Test
    void it_has_exactly_the_environment_it_was_given() throws IOException {
        var said = run(Map.of("A", "b=c\nd", "É", "ü", "EMPTY", ""), "cat /proc/$$/environ >&3");
        assertThat(said.split("\0")).containsExactlyInAnyOrder("A=b=c\nd", "É=ü", "EMPTY=");
    }

    @Test
    void it_leads_a_session_where_it_was_told_to_and_ignores_and_blocks_no_signal() throws IOException {
        // read by the shell itself: while it starts another program it blocks signals for a moment
        var said = run(
                Map.of(),
                "cd -P . && echo $PWD >&3; echo $$ >&3;"
                        + " for f in status stat; do while read -r line; do echo \"$line\" >&3; done </proc/$$/$f; done");
        var lines = said.lines().toList();
        long pid = Long.parseLong(lines.get(1));
        assertThat(lines.getFirst()).isEqualTo(scratch.toRealPath().toString());
        assertThat(lines).contains("SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000");
        assertThat(lines.getLast().split(" ", -1)[5]).as("its session").isEqualTo(Long.toString(pid));
    }

    @Test
    void nothing_of_ours_is_open_in_it() throws IOException {
        try (var _ = PrivateFiles.open(scratch.resolve("ours"), java.nio.file.StandardOpenOption.CREATE)) {
            var said = run(Map.of(), "for f in /proc/$$/fd/*; do readlink $f >&3; done");
            assertThat(said.lines())
                    .containsOnly(
                            "/dev/null",
                            scratch.toRealPath().resolve("said").toString(),
                            scratch.toRealPath().resolve("done").toString());
            assertThat(said.lines()).hasSize(5);
        }
    }

    @Test
    void a_write_to_what_is_open_for_it_is_on_the_disk_when_it_returns() throws IOException {
        var said = run(Map.of(), "cat /proc/$$/fdinfo/3 >&3");
        long flags = Long.parseLong(
                said.lines()
                        .filter(line -> line.startsWith("flags:"))
                        .findFirst()
                        .orElseThrow()
                        .substring(6)
                        .strip(),
                8);
        assertThat(flags & 0x101000).as("O_SYNC").isEqualTo(0x101000);
    }

    @Test
    void who_is_told_of_its_end_finds_no_zombie() throws Exception {
        long pid = ProcessSpawner.start(
                List.of("/bin/sh", "-c", "exec sleep 1000"), Map.of("PATH", "/usr/bin:/bin"), scratch, List.of());
        var id = Processes.row(pid).orElseThrow().id();
        var told = new CountDownLatch(1);
        try (var exits = ExitWatcher.open()) {
            exits.watch(id, told::countDown);
            ProcessTree.kill(id);
            assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(Processes.row(pid).map(Processes.Row::id)).isNotEqualTo(java.util.Optional.of(id));
        }
    }

    @Test
    void one_that_had_ended_before_anybody_watched_leaves_no_zombie_either() throws Exception {
        long pid = ProcessSpawner.start(List.of("/bin/sh", "-c", ":"), Map.of(), scratch, List.of());
        await().atMost(SOON).until(() -> Processes.row(pid).orElseThrow().state() == 'Z');
        var id = new ProcessId(pid, Processes.row(pid).orElseThrow().id().startTicks());
        var told = new CountDownLatch(1);
        try (var exits = ExitWatcher.open()) {
            exits.watch(id, told::countDown);
            assertThat(told.getCount()).isZero();
            assertThat(Processes.row(pid)).isEmpty();
        }
    }

    @Test
    void what_cannot_be_started_is_an_error_that_says_why() {
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
