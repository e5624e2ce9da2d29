package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.DaemonFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Failures of the host: no accepted run is lost, and each failure is reported. */
class HostFailureProcessTest extends DaemonFixture {

    static void command(String... words) throws Exception {
        assertThat(new ProcessBuilder(words).inheritIO().start().waitFor())
                .as(String.join(" ", words))
                .isZero();
    }

    static void fill(Path file) throws IOException {
        try (var out = Files.newOutputStream(file)) {
            byte[] block = new byte[4096];
            while (true) out.write(block);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    @Test
    void a_full_disk_refuses_new_runs_delays_ends_and_loses_nothing() throws Exception {
        daemon.destroy();
        daemon.waitFor();
        disconnect();
        command("mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", home.toString());
        try {
            daemon = start();
            var before = sh("echo said in time; while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done");
            await().atMost(SOON)
                    .until(() -> call("output", operator().put("run_id", before))
                            .path("text")
                            .asString()
                            .equals("said in time\n"));
            fill(home.resolve("filler"));

            var refused = error("start", task("echo", "no room"));
            assertThat(refused.path("code").asString()).isIn("disk_full", "home_unwritable");
            assertThat(refused.path("hint").asString()).isNotBlank();
            Files.createFile(scratch.resolve("go"));
            assertThat(status(before)).isIn("running", "completed"); // reading works; the end may have to wait

            Files.delete(home.resolve("filler"));
            assertThat(awaitEnd(before).path("result").asString()).isEqualTo("said in time\n");
            assertThat(status(before)).isEqualTo("completed");
            assertThat(show(before).path("notices").size()).isEqualTo(1);
            assertThat(awaitEnd(sh("echo room again")).path("result").asString())
                    .isEqualTo("room again\n");
            assertThat(call("list", operator().put("filter", "all"))
                            .path("runs")
                            .size())
                    .as("the refused start left no row")
                    .isEqualTo(2);
            try (var directories = Files.list(home.resolve("runs"))) {
                assertThat(directories).as("and no directory").hasSize(2);
            }
            disconnect();
            daemon.destroy();
            daemon.waitFor();
        } finally {
            daemon.destroyForcibly().waitFor();
            command("umount", home.toString());
        }
    }

    @Test
    void a_read_only_home_is_reported_as_such() throws Exception {
        kill9();
        command("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", home.toString());
        try {
            var daemonToBe = launch();
            assertThat(firstLine(daemonToBe)).contains("home_unusable").contains("Read-only");
            assertThat(daemonToBe.waitFor()).isEqualTo(4);
        } finally {
            command("umount", home.toString());
        }
    }

    @Test
    void a_daemon_names_an_invalid_fault_and_exits() throws Exception {
        kill9();
        var faults = Files.writeString(scratch.resolve("faults"), "kill before claim\nset fire\n");
        var daemonToBe = launch("env", "ROOST_FAULTS=" + faults);
        try {
            assertThat(firstLine(daemonToBe)).contains("bad_faults").contains("set fire");
            assertThat(daemonToBe.waitFor(SOON.toSeconds(), TimeUnit.SECONDS))
                    .as("shutdown does not wait for a daemon that never served")
                    .isTrue();
            assertThat(daemonToBe.exitValue()).isEqualTo(4);
            assertThat(alive(daemonToBe.pid())).isFalse();
        } finally {
            daemonToBe.destroyForcibly().waitFor();
        }
        daemon = start(); // would be refused if the previous one still held the home
    }

    /** A filesystem in user space that goes by a network one's name. */
    @Test
    void a_home_on_a_network_filesystem_is_refused_with_the_reason() throws Exception {
        kill9();
        var far = Files.createDirectory(scratch.resolve("far"));
        command("bindfs", "-o", "nonempty,subtype=sshfs", far.toString(), home.toString());
        try {
            var daemonToBe = launch();
            assertThat(firstLine(daemonToBe)).contains("home_on_network").contains("fuse.sshfs");
            assertThat(daemonToBe.waitFor()).isEqualTo(4);
            assertThat(far).as("no file was created").isEmptyDirectory();
        } finally {
            command("umount", home.toString());
        }
    }

    /** Even root needs permission once it may not override the lack of it. */
    static final String[] WITHOUT_OVERRIDE = {
        "setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"
    };

    @Test
    void permissions_removed_at_run_time_refuse_and_delay_but_lose_nothing() throws Exception {
        kill9();
        daemon = start(WITHOUT_OVERRIDE);
        var run = sh("echo said in time; while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done");
        awaitPid(run);
        var locked = new Path[] {home.resolve("runs"), home.resolve("runs/" + run + "/1"), home.resolve("runs/" + run)};
        for (var directory : locked)
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r--------"));

        var refused = error("start", task("echo", "no entry"));
        assertThat(refused.path("code").asString()).isEqualTo("home_unwritable");
        assertThat(refused.path("hint").asString()).isNotBlank();
        assertThat(status(run)).isEqualTo("running");
        Files.createFile(scratch.resolve("go"));

        for (var directory : locked)
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        assertThat(awaitEnd(run).path("result").asString()).isEqualTo("said in time\n");
        assertThat(awaitEnd(sh("echo entry")).path("result").asString()).isEqualTo("entry\n");
        assertThat(show(run).path("notices").size()).isEqualTo(1);
    }

    @Test
    void a_home_that_its_user_may_not_enter_is_reported_as_such() throws Exception {
        kill9();
        Files.setPosixFilePermissions(home.resolve("runs"), PosixFilePermissions.fromString("---------"));
        try {
            var daemonToBe = launch(WITHOUT_OVERRIDE);
            assertThat(firstLine(daemonToBe)).contains("home_unusable").contains("runs");
            assertThat(daemonToBe.waitFor()).isEqualTo(4);
        } finally {
            Files.setPosixFilePermissions(home.resolve("runs"), PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void a_daemon_suspended_for_a_minute_catches_up_when_it_continues() throws Exception {
        var ends = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo done");
        var works = sh("while [ ! -e \"$SCRATCH/stop\" ]; do sleep 0.05; done; echo worked on");
        var lost = sh("sleep 1000");
        long pid = awaitPid(ends);
        long perch = ProcessHandle.of(awaitPid(lost))
                .flatMap(ProcessHandle::parent)
                .orElseThrow()
                .pid();
        awaitPid(works);
        var frozen = Instant.now();
        command("kill", "-STOP", Long.toString(daemon.pid()));
        Files.createFile(scratch.resolve("go"));
        command("kill", "-KILL", Long.toString(perch));
        await().atMost(SOON).until(() -> !alive(pid));
        await().atMost(java.time.Duration.ofSeconds(70))
                .until(() -> Instant.now().isAfter(frozen.plusSeconds(60)));
        command("kill", "-CONT", Long.toString(daemon.pid()));
        await().atMost(java.time.Duration.ofSeconds(5)).until(() -> status(ends).equals("completed"));
        await().atMost(java.time.Duration.ofSeconds(5)).until(() -> status(lost).equals("abandoned"));
        assertThat(Instant.parse(show(ends).path("ended_at").asString()))
                .as("the time of the end is when the agent ended, not when it was noticed")
                .isBefore(frozen.plusSeconds(20));
        assertThat(show(ends).path("notices").size()).isEqualTo(1);
        assertThat(show(lost).path("notices").size()).isEqualTo(1);
        assertThat(status(works)).isEqualTo("running");
        Files.createFile(scratch.resolve("stop"));
        assertThat(awaitEnd(works).path("result").asString()).isEqualTo("worked on\n");
    }

    @Test
    void agents_do_not_inherit_ignored_signals() throws Exception {
        kill9();
        daemon = start("sh", "-c", "trap '' INT QUIT TERM PIPE; exec \"$@\"", "sh");
        for (var signal : new String[] {"INT", "QUIT", "TERM", "PIPE"}) {
            var ended = awaitEnd(sh("kill -%s $$; echo survived".formatted(signal)));
            assertThat(ended.path("status").asString()).as(signal).isEqualTo("failed");
        }
        daemon.destroy();
        assertThat(daemon.waitFor(20, TimeUnit.SECONDS)).as("TERM ends it").isTrue();
        disconnect();
        daemon = start();
    }

    @Test
    void loosened_permissions_are_tightened_at_the_next_start() throws Exception {
        kill9();
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
        daemon = start();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home)))
                .isEqualTo("rwx------");
    }
}
