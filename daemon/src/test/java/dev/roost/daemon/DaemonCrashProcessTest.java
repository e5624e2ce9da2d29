package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.DaemonFixture;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The daemon dies; the runs do not care. */
class DaemonCrashProcessTest extends DaemonFixture {

    @Test
    void after_a_kill_with_20_live_runs_every_state_is_correct_within_five_seconds_of_the_restart() throws Exception {
        var runs = new ArrayList<String>();
        for (int i = 0; i < 20; i++) {
            String end = i % 4 == 3 ? "echo broken >&2; exit 3" : "echo run %d done".formatted(i);
            String gate = i % 2 == 0 ? "early" : "late";
            runs.add(sh("echo run %d began; while [ ! -e \"$SCRATCH/%s\" ]; do sleep 0.05; done; %s"
                    .formatted(i, gate, end)));
        }
        var pids = new ArrayList<Long>();
        for (var run : runs) pids.add(awaitPid(run));

        kill9();
        assertThat(pids).allMatch(DaemonFixture::alive);
        Files.createFile(scratch.resolve("early")); // half of them end while no daemon runs
        for (int i = 0; i < 20; i += 2) {
            long pid = pids.get(i);
            await().atMost(SOON).until(() -> !alive(pid));
        }
        var back = Instant.now();
        daemon = start();
        for (int i = 0; i < 20; i++) {
            String expected = i % 2 == 1 ? "running" : "completed";
            assertThat(status(runs.get(i))).as("run %d", i).isEqualTo(expected);
        }
        assertThat(Duration.between(back, Instant.now())).isLessThan(Duration.ofSeconds(5));
        for (int i = 1; i < 20; i += 2)
            assertThat(alive(pids.get(i))).as("run %d runs", i).isTrue();

        Files.createFile(scratch.resolve("late"));
        for (int i = 0; i < 20; i++) {
            var ended = awaitEnd(runs.get(i));
            boolean fails = i % 4 == 3;
            assertThat(ended.path("status").asString()).isEqualTo(fails ? "failed" : "completed");
            assertThat(ended.path("result").asString())
                    .isEqualTo("run %d began\n".formatted(i) + (fails ? "" : "run %d done\n".formatted(i)));
            assertThat(ended.path("text").asString())
                    .isEqualTo(ended.path("result").asString());
        }
        var notices = call("inbox", operator()).path("notices");
        var told = new HashSet<String>();
        notices.forEach(notice -> told.add(notice.path("run_id").asString()));
        assertThat(notices.size()).isEqualTo(20);
        assertThat(told).containsExactlyInAnyOrderElementsOf(runs);
    }

    @Test
    void repeated_kills_while_runs_start_and_end_lose_and_duplicate_none() throws Exception {
        var random = new Random(20261115);
        var runs = new ArrayList<String>();
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < 8; i++) {
                int n = runs.size();
                runs.add(sh("echo x >> \"$SCRATCH/count-%d\"; sleep 0.%d; echo done %d"
                        .formatted(n, random.nextInt(9), n)));
            }
            Thread.sleep(random.nextInt(120)); // the moment of death is part of the test
            kill9();
            daemon = start();
        }
        for (int n = 0; n < runs.size(); n++) {
            var ended = awaitEnd(runs.get(n));
            assertThat(ended.path("status").asString())
                    .as(ended::toPrettyString)
                    .isEqualTo("completed");
            assertThat(ended.path("result").asString()).isEqualTo("done %d\n".formatted(n));
            assertThat(scratch.resolve("count-" + n)).as("run %d ran once", n).hasContent("x\n");
            assertThat(show(runs.get(n)).path("notices").size()).isEqualTo(1);
        }
    }

    @Test
    void a_clean_stop_also_leaves_the_runs_alive() throws Exception {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo done");
        long pid = awaitPid(run);
        call("shutdown", params());
        disconnect();
        assertThat(daemon.waitFor()).isZero();
        assertThat(alive(pid)).isTrue();
        assertThat(home.resolve("roost.sock")).doesNotExist();

        daemon = start();
        assertThat(status(run)).isEqualTo("running");
        Files.createFile(scratch.resolve("go"));
        assertThat(awaitEnd(run).path("result").asString()).isEqualTo("done\n");
    }

    @Test
    void after_a_reboot_a_run_is_lost_even_if_a_process_has_its_pid_and_start_time() throws Exception {
        var run = sh("echo before the reboot; sleep 1000");
        long pid = awaitPid(run);
        kill9();
        var another = Files.writeString(scratch.resolve("boot_id"), "11111111-2222-3333-4444-555555555555\n");

        daemon = start(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount --bind \"$0\" /proc/sys/kernel/random/boot_id && exec \"$@\"",
                another.toString());

        var lost = show(run);
        assertThat(lost.path("status").asString()).isEqualTo("abandoned");
        assertThat(lost.path("cause").asString()).isEqualTo("host_reboot");
        assertThat(lost.path("evidence").path("boot_id").asString())
                .isNotEqualTo("11111111-2222-3333-4444-555555555555");
        assertThat(awaitEnd(run).path("result").asString()).isEqualTo("before the reboot\n");
        assertThat(alive(pid))
                .as("processes with the run's cookie are killed anyway")
                .isFalse();
        assertThat(call("inbox", operator()).path("notices"))
                .as("the run's end, and the restart of the machine")
                .extracting(notice -> notice.path("kind").asString())
                .containsExactlyInAnyOrder("ended", "pause");
    }

    @Test
    void a_second_daemon_on_the_same_home_names_the_first_and_changes_nothing() throws Exception {
        var second = launch();
        String line = firstLine(second);
        assertThat(second.waitFor()).isEqualTo(5);
        assertThat(line).contains("daemon_running").contains(Long.toString(daemon.pid()));
        assertThat(call("status", params()).path("pid").asLong()).isEqualTo(daemon.pid());
    }

    @Test
    void a_run_submitted_just_before_the_daemon_was_killed_is_not_lost() throws Exception {
        for (int i = 0; i < 3; i++) {
            var runs = new ArrayList<String>();
            for (int n = 0; n < 5; n++) runs.add(sh("echo made it"));
            kill9(); // at once: some are queued, some claimed, some started, some ended
            daemon = start();
            for (var run : runs)
                assertThat(awaitEnd(run).path("result").asString()).isEqualTo("made it\n");
        }
        assertThat(List.of(scratch.toFile().list())).contains("home");
    }
}
