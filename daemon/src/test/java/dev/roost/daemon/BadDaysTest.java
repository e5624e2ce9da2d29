package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What can go wrong around a daemon goes wrong; nothing that was accepted is lost, and everything is said. */
class BadDaysTest extends RealDaemon {

    private static void command(String... words) throws Exception {
        assertThat(new ProcessBuilder(words).inheritIO().start().waitFor())
                .as(String.join(" ", words))
                .isZero();
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
                    .as("the refused one left no row")
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
    void a_read_only_home_is_named_as_such() throws Exception {
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
    void a_daemon_that_cannot_understand_its_faults_says_which_and_ends_by_itself() throws Exception {
        kill9();
        var faults = Files.writeString(scratch.resolve("faults"), "kill before claim\nset fire\n");
        var daemonToBe = launch("env", "ROOST_FAULTS=" + faults);
        try {
            assertThat(firstLine(daemonToBe)).contains("bad_faults").contains("set fire");
            assertThat(daemonToBe.waitFor(SOON.toSeconds(), TimeUnit.SECONDS))
                    .as("it does not wait in its own shutdown for what never served")
                    .isTrue();
            assertThat(daemonToBe.exitValue()).isEqualTo(4);
            assertThat(alive(daemonToBe.pid())).isFalse();
        } finally {
            daemonToBe.destroyForcibly().waitFor();
        }
        daemon = start(); // which would be refused by one that still held the home
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
            assertThat(far).as("nothing was made there").isEmptyDirectory();
        } finally {
            command("umount", home.toString());
        }
    }

    /** Even root needs permission once it may not override the lack of it. */
    private static final String[] WITHOUT_OVERRIDE = {
        "setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"
    };

    @Test
    void permissions_taken_away_underneath_refuse_and_delay_but_lose_nothing() throws Exception {
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
    void a_home_that_its_user_may_not_enter_is_named_as_such() throws Exception {
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
    void a_gigabyte_of_output_passes_through_without_filling_the_memory() throws Exception {
        var run = sh("head -c 1000000000 /dev/zero | tr '\\0' x");
        await().atMost(java.time.Duration.ofMinutes(2)).until(() -> show(run).has("ended_at"));
        var ended = show(run);
        assertThat(ended.path("status").asString()).isEqualTo("completed");
        var output = call("output", operator().put("run_id", run));
        assertThat(Files.size(Path.of(output.path("result_file").asString()))).isEqualTo(1_000_000_000);
        assertThat(output.path("text").asString().length())
                .as("a reply stays small")
                .isLessThanOrEqualTo(1 << 18);
        assertThat(peakMemory(daemon.pid())).as("KiB").isLessThan(600_000);
    }

    private static long peakMemory(long pid) throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith("VmHWM:")) return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
        throw new IOException("no VmHWM");
    }

    @Test
    void two_thousand_ended_runs_weigh_down_neither_a_list_nor_the_next_start() throws Exception {
        var last = "";
        for (int i = 0; i < 2000; i++)
            last = call("start", task("true")).path("run_id").asString();
        awaitEnd(last);
        await().atMost(java.time.Duration.ofMinutes(1))
                .until(() -> call("status", params()).path("live").asInt() == 0);
        var live = sh("sleep 1000");
        awaitPid(live);
        kill9();
        daemon = start();
        await().atMost(java.time.Duration.ofSeconds(5)).until(() -> status(live).equals("running"));
        assertThat(call("list", operator().put("filter", "all").put("limit", 1000))
                        .path("runs")
                        .size())
                .isEqualTo(1000);
        assertThat(call("inbox", operator()).path("digest").asString().length()).isLessThanOrEqualTo(4000);
    }

    private static void fill(Path file) throws IOException {
        try (var out = Files.newOutputStream(file)) {
            byte[] block = new byte[4096];
            while (true) out.write(block);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    @Test
    void a_daemon_that_was_stopped_for_a_minute_catches_up_when_it_goes_on() throws Exception {
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
                .as("its end is when it ended, not when that was seen")
                .isBefore(frozen.plusSeconds(20));
        assertThat(show(ends).path("notices").size()).isEqualTo(1);
        assertThat(show(lost).path("notices").size()).isEqualTo(1);
        assertThat(status(works)).isEqualTo("running");
        Files.createFile(scratch.resolve("stop"));
        assertThat(awaitEnd(works).path("result").asString()).isEqualTo("worked on\n");
    }

    @Test
    void with_too_few_descriptors_runs_wait_instead_of_breaking() throws Exception {
        kill9();
        daemon = start("sh", "-c", "ulimit -n 200; exec \"$@\"", "sh");
        var runs = new ArrayList<String>();
        for (int i = 0; i < 120; i++) runs.add(sh("sleep 1; echo done " + i));
        for (int i = 0; i < 120; i++) {
            var ended = awaitEnd(runs.get(i));
            assertThat(ended.path("result").asString())
                    .as(ended::toPrettyString)
                    .isEqualTo("done %d\n".formatted(i));
        }
    }

    @Test
    void with_too_few_descriptors_for_a_single_run_it_says_so_instead_of_letting_them_wait_for_ever() throws Exception {
        kill9();
        // enough for Java to open what it is made of, and not for a run beside that
        int enough = dev.roost.house.Programs.daemonClassPath().split(":", -1).length + 30;
        var daemonToBe = launch("sh", "-c", "ulimit -n %d; exec \"$@\"".formatted(enough), "sh");
        assertThat(firstLine(daemonToBe)).contains("too_few_open_files").contains("ulimit");
        assertThat(daemonToBe.waitFor()).isEqualTo(4);
        daemon = start();
    }

    @Test
    void what_its_starter_ignored_its_agents_do_not() throws Exception {
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
    void permissions_that_somebody_loosened_are_tightened_at_the_next_start() throws Exception {
        kill9();
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
        daemon = start();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home)))
                .isEqualTo("rwx------");
    }

    @Test
    void an_agent_that_floods_closes_and_forks_still_ends_in_good_order() throws Exception {
        var closes = sh("exec >&- 2>&-; sleep 0.2");
        assertThat(awaitEnd(closes).path("status").asString()).isEqualTo("completed_empty");

        var floods = sh("head -c 30000000 /dev/zero | tr '\\0' e >&2; echo out");
        var ended = awaitEnd(floods);
        assertThat(ended.path("status").asString()).isEqualTo("completed");
        assertThat(ended.path("evidence").path("stderr_tail").asString()).hasSize(4096);

        var storm = sh("i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done; echo forked; wait");
        await().atMost(SOON)
                .until(() -> call("output", operator().put("run_id", storm))
                        .path("text")
                        .asString()
                        .equals("forked\n"));
        call("stop", operator().put("run_id", storm));
        assertThat(status(storm)).isEqualTo("canceled_by_user");
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : processes)
                assertThat(environment(process)).doesNotContain("ROOST_RUN_ID=" + storm + "\0");
        }
    }

    private static String environment(Path process) {
        try {
            return Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void ten_thousand_malformed_messages_are_each_answered_and_change_nothing() throws Exception {
        var random = new Random(20261115);
        for (int batch = 0; batch < 100; batch++) {
            int sent = 0;
            for (int i = 0; i < 100; i++) {
                var line = nonsense(random);
                if (line.isBlank()) continue;
                rpc().send(line);
                sent++;
            }
            for (int i = 0; i < sent; i++) assertThat(rpc().line()).contains("\"error\"");
        }
        assertThat(call("status", params()).path("live").asInt()).isZero();
        assertThat(call("list", operator().put("filter", "all")).path("runs").size())
                .isZero();
    }

    /** Broken JSON, wrong types, unknown fields, missing ones: never a request that could be granted. */
    private static String nonsense(Random random) {
        String[] methods = {"start", "list", "show", "output", "stop", "inbox", "acknowledge", "prune", "levitate", ""};
        String[] values = {
            "null", "true", "-1", "1e400", "\"\\u0000\"", "[]", "{}", "[[[]]]", "\"r_\"", "99999999999999999999"
        };
        String[] fields = {
            "caller", "run_id", "argv", "env", "cwd", "timeout_ms", "cursor", "limit", "x\\ty", "notice_ids"
        };
        return switch (random.nextInt(4)) {
            case 0 -> {
                var bytes = new byte[1 + random.nextInt(60)];
                random.nextBytes(bytes);
                yield "\u0001"
                        + new String(bytes, StandardCharsets.ISO_8859_1)
                                .replace('\n', ' ')
                                .replace('\r', ' ');
            }
            case 1 -> "{\"id\":1,\"method\":" + values[random.nextInt(values.length)] + "}";
            case 2 ->
                "{\"id\":1,\"method\":\"%s\",\"params\":{\"no such field\":%s}}"
                        .formatted(methods[random.nextInt(methods.length)], values[random.nextInt(values.length)]);
            default ->
                "{\"id\":1,\"method\":\"%s\",\"params\":{\"caller\":%s,\"%s\":%s,\"nonsense\":1"
                        .formatted(
                                methods[random.nextInt(methods.length)],
                                values[random.nextInt(values.length)],
                                fields[random.nextInt(fields.length)],
                                values[random.nextInt(values.length)]);
        };
    }
}
