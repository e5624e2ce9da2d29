package dev.roost.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.roost.run.ProcessId;
import dev.roost.run.RunId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that dies and does not come back leaves no agents behind; one that does comes back to all of them. */
class GuardTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration LONG_GRACE = Duration.ofMinutes(5);

    /** Plain, in a session of its own, and that with a cleaned environment too; and the shell that started them. */
    private static final String AGENT = "sleep 1000 & echo $! >>$SCRATCH/pids; "
            + "(setsid sh -c 'echo $$ >>$SCRATCH/pids; exec sleep 1000' &); "
            + "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ >>\"$0\"; exec /bin/sleep 1000' $SCRATCH/pids &); "
            + "echo $$ >>$SCRATCH/pids; wait; sleep 1000";

    private static final int PROCESSES = 4;

    /** A daemon-like process with the pipes to it, in a process group of its own. */
    record Daemon(Process process, BufferedReader says, ProcessId guard) {

        static Daemon start(Path home, Duration grace, String means, String... before) throws IOException {
            var words = new ArrayList<>(List.of("setsid"));
            words.addAll(List.of(before));
            words.addAll(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    GuardedDaemon.class.getName(),
                    home.toString(),
                    Long.toString(grace.toMillis()),
                    means));
            var process = new ProcessBuilder(words)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            var says = process.inputReader(StandardCharsets.UTF_8);
            var ready = says.readLine();
            assertThat(ready).as("what the daemon said").startsWith("ready ");
            long guard = Long.parseLong(ready.substring(6));
            return new Daemon(process, says, Processes.row(guard).orElseThrow().id());
        }

        void run(RunId run, String script) throws IOException {
            order("run %s %s".formatted(run, script));
        }

        void order(String line) throws IOException {
            var out = process.outputWriter(StandardCharsets.UTF_8);
            out.write(line + "\n");
            out.flush();
            assertThat(says.readLine()).isEqualTo("done");
        }

        void signal(String signal, boolean group) throws Exception {
            signal(signal, (group ? "-" : "") + process.pid());
        }

        /** However slow this machine is, it ends nothing before it is let go on; it can be killed as ever. */
        void holdGuard() throws Exception {
            signal("STOP", Long.toString(guard.pid()));
        }

        void letGuardGoOn() throws Exception {
            signal("CONT", Long.toString(guard.pid()));
        }

        private static void signal(String signal, String target) throws Exception {
            assertThat(new ProcessBuilder("kill", "-s", signal, "--", target)
                            .start()
                            .waitFor())
                    .isZero();
        }

        void kill() throws InterruptedException {
            process.destroyForcibly();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    abstract static class Contract {

        @TempDir
        Path directory;

        final RunId run = RunId.create(Instant.now()); // not one of a test that runs at the same time
        final List<Daemon> daemons = new ArrayList<>();
        Path root;
        private Home home;

        abstract String means();

        @BeforeEach
        void makeRoom() throws IOException {
            root = directory.resolve("home");
            home = new Home(root);
            Files.createDirectory(directory.resolve("scratch"));
        }

        @AfterEach
        void nothingIsLeft() throws Exception {
            for (var daemon : daemons) daemon.kill();
            var group = Cgroups.open().create("guard-" + Script.fingerprint(root.toString()));
            guards().forEach(ProcessTree::kill);
            await().atMost(SOON).until(() -> guards().isEmpty());
            if (group.isPresent())
                await().atMost(SOON).until(() -> {
                    group.get().remove();
                    return !group.get().exists();
                });
            for (var carrier : Machine.carrying("ROOST_HOME=" + root)) ProcessTree.kill(carrier.id());
            if (Files.exists(pidFile()))
                await().atMost(SOON)
                        .until(() -> pids().stream().peek(ProcessTree::kill).noneMatch(Processes::alive));
        }

        private Daemon daemon(Duration grace) throws IOException {
            var daemon = Daemon.start(root, grace, means());
            daemons.add(daemon);
            return daemon;
        }

        private Path pidFile() {
            return directory.resolve("scratch/pids");
        }

        /** The agent and its children, once all are there. */
        List<ProcessId> agents() {
            await().atMost(SOON)
                    .until(() -> Files.exists(pidFile())
                            && Files.readAllLines(pidFile()).size() == PROCESSES);
            return pids();
        }

        private List<ProcessId> pids() {
            try {
                return Files.readAllLines(pidFile()).stream()
                        .flatMap(line -> Processes.row(Long.parseLong(line)).stream())
                        .map(Processes.Row::id)
                        .toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Shells that watch over this home. */
        List<ProcessId> guards() {
            return Processes.all().stream()
                    .filter(row -> row.session() == row.id().pid()) // not what it forks
                    .filter(row -> Processes.commandLine(row.id().pid()).contains("/guard-")
                            && Processes.commandLine(row.id().pid()).contains("\0" + root + "\0"))
                    .map(Processes.Row::id)
                    .toList();
        }

        /** What they run in the end. */
        private List<ProcessId> onDuty() {
            return Processes.all().stream()
                    .map(Processes.Row::id)
                    .filter(id ->
                            Processes.commandLine(id.pid()).endsWith(GuardDuty.class.getName() + "\0" + root + "\0"))
                    .filter(id -> Processes.isJava(id.pid()))
                    .toList();
        }

        private AttemptDirectory attempt(RunId run) {
            return home.run(run).attempt(1);
        }

        private String log() throws IOException {
            return PrivateFiles.tail(home.logs().resolve("guard.log"), 10_000);
        }

        void awaitEnd(List<ProcessId> processes) {
            await().atMost(SOON).until(() -> processes.stream().noneMatch(Processes::alive));
        }

        @Test
        void agents_of_a_killed_daemon_end_after_the_grace_and_not_before() throws Exception {
            var daemon = daemon(GRACE);
            daemon.run(run, AGENT);
            var agents = agents();
            assertThat(agents).hasSize(PROCESSES);
            long killed = System.nanoTime();
            daemon.kill();
            await().atMost(SOON).until(() -> agents.stream().anyMatch(id -> !Processes.alive(id)));
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isGreaterThanOrEqualTo(GRACE);
            awaitEnd(agents);
            await().atMost(SOON).until(() -> guards().isEmpty());
            assertThat(attempt(run).exit()).isEmpty();
            assertThat(attempt(run).fenced().orElseThrow().why()).contains("away");
            assertThat(log().lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains(run + "/1 ended"));
        }

        @Test
        void a_daemon_that_is_back_in_time_finds_its_agents_untouched_and_has_the_only_guard() throws Exception {
            var first = daemon(LONG_GRACE);
            first.run(run, AGENT);
            var agents = agents();
            first.kill();
            var second = daemon(LONG_GRACE);
            assertThat(guards()).containsExactly(second.guard());
            assertThat(second.guard()).isNotEqualTo(first.guard());
            assertThat(agents).hasSize(PROCESSES).allMatch(Processes::alive);
            assertThat(attempt(run).fenced()).isEmpty();
        }

        @Test
        void the_guard_of_a_second_daemon_ends_what_the_first_had_started() throws Exception {
            var first = daemon(LONG_GRACE);
            first.run(run, AGENT);
            var agents = agents();
            first.kill();
            daemon(Duration.ZERO).kill();
            awaitEnd(agents);
            await().atMost(SOON).until(() -> guards().isEmpty());
        }

        @Test
        void the_grace_counts_from_when_the_others_last_heard_of_the_node_however_often_a_daemon_begins()
                throws Exception {
            var daemon = daemon(LONG_GRACE);
            Files.writeString(home.heard(), "%012d\n".formatted(HeardFile.now() - LONG_GRACE.toMillis() / 10));
            daemon.run(run, AGENT);
            var agents = agents();
            daemon.kill();
            awaitEnd(agents);
            await().atMost(SOON).until(() -> guards().isEmpty());
        }

        @Test
        void agents_of_a_daemon_that_was_told_to_stop_end_after_the_grace_too() throws Exception {
            var daemon = daemon(Duration.ofMillis(100));
            daemon.run(run, AGENT);
            var agents = agents();
            daemon.order("close");
            awaitEnd(agents);
            await().atMost(SOON).until(() -> attempt(run).fenced().isPresent());
        }

        @Test
        void killing_the_process_group_of_the_daemon_leaves_the_guard() throws Exception {
            var daemon = daemon(GRACE);
            daemon.run(run, AGENT);
            var agents = agents();
            daemon.holdGuard();
            daemon.signal("KILL", true);
            assertThat(daemon.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(Processes.alive(daemon.guard())).isTrue();
            assertThat(agents).allMatch(Processes::alive);
            daemon.letGuardGoOn();
            awaitEnd(agents);
        }

        @Test
        void a_daemon_that_comes_back_while_the_guard_is_at_work_ends_that_work() throws Exception {
            var first = daemon(Duration.ZERO);
            first.run(run, AGENT);
            var agents = agents();
            first.kill();
            // its JVM needs a moment before it ends anything; where nobody saw it, it has
            await().atMost(SOON)
                    .until(() -> !onDuty().isEmpty() || attempt(run).fenced().isPresent());
            var second = daemon(LONG_GRACE);
            assertThat(onDuty()).isEmpty();
            assertThat(guards()).containsExactly(second.guard());
            if (attempt(run).fenced().isPresent()) assertThat(agents).noneMatch(Processes::alive);
        }

        @Test
        void a_daemon_that_is_only_stopped_is_not_dead() throws Exception {
            var daemon = daemon(Duration.ofMillis(500));
            daemon.run(run, AGENT);
            var agents = agents();
            daemon.signal("STOP", false);
            await().during(Duration.ofSeconds(3))
                    .atMost(SOON)
                    .until(() -> agents.stream().allMatch(Processes::alive));
            assertThat(guards()).containsExactly(daemon.guard());
            daemon.signal("CONT", false);
        }

        @Test
        void no_guard_is_left_when_the_home_was_removed() throws Exception {
            var daemon = daemon(LONG_GRACE);
            daemon.kill();
            assertThat(guards()).containsExactly(daemon.guard());
            new RunDirectory(root).delete();
            await().atMost(SOON).until(() -> guards().isEmpty());
            assertThat(root).doesNotExist();
        }

        @Test
        void a_guard_that_is_killed_while_its_daemon_lives_is_followed_by_another() throws Exception {
            var daemon = daemon(Duration.ofMillis(100));
            daemon.run(run, AGENT);
            var agents = agents();
            ProcessTree.kill(daemon.guard());
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(guards()).hasSize(1).doesNotContain(daemon.guard()));
            assertThat(agents).allMatch(Processes::alive);
            daemon.kill();
            awaitEnd(agents);
        }
    }

    @Nested
    class WithTheBestMeans extends Contract {
        @Override
        String means() {
            return "grouped";
        }

        @Test
        void killing_all_that_is_in_the_cgroup_of_the_daemon_leaves_the_guard() throws Exception {
            var base = Cgroups.open().base();
            assumeThat(base).as("a cgroup that this user may divide").isPresent();
            var group = Files.createDirectory(base.orElseThrow().resolveSibling("roost-test-" + run));
            var daemon = Daemon.start(
                    root, GRACE, means(), "sh", "-c", "echo 0 >$0/cgroup.procs && exec \"$@\"", group.toString());
            daemons.add(daemon);
            daemon.run(run, AGENT);
            var agents = agents();
            daemon.holdGuard();
            for (var pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
                ProcessTree.kill(
                        Processes.row(Long.parseLong(pid)).orElseThrow().id());
            }
            assertThat(daemon.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(Processes.alive(daemon.guard())).isTrue();
            daemon.letGuardGoOn();
            awaitEnd(agents);
            await().atMost(SOON).until(() -> guards().isEmpty());
            for (var empty : List.of(group.resolve("roost"), group))
                Files.delete(empty); // the guard left none of its own
        }
    }

    @Tag("portable")
    @Nested
    class WithoutCgroups extends Contract {
        @Override
        String means() {
            return "ungrouped";
        }
    }
}
