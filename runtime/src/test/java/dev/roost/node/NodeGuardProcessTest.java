package dev.roost.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.roost.home.RunDirectory;
import dev.roost.os.Processes;
import dev.roost.process.Cgroups;
import dev.roost.process.ProcessTree;
import dev.roost.testing.StubDaemonProcess;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A daemon that dies and does not come back leaves no agents behind; one that does comes back to all of them. */
class NodeGuardProcessTest {

    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration LONG_GRACE = Duration.ofMinutes(5);

    /** Plain, in a session of its own, and that with a cleaned environment too; and the shell that started them. */
    private static final String AGENT = "sleep 1000 & echo $! >>$SCRATCH/pids; "
            + "(setsid sh -c 'echo $$ >>$SCRATCH/pids; exec sleep 1000' &); "
            + "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ >>\"$0\"; exec /bin/sleep 1000' $SCRATCH/pids &); "
            + "echo $$ >>$SCRATCH/pids; wait; sleep 1000";

    /** What holds by every means, at its smallest. */
    abstract static class Core extends NodeGuardFixture {

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
    }

    abstract static class Contract extends Core {

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
            var grace = SOON.multipliedBy(
                    2); // no longer: the machine may have booted just now, and there is no time before that
            var daemon = daemon(grace);
            Files.writeString(
                    home.leaseSeenFile(),
                    "%012d\n".formatted(Math.max(1, LeaseSeenFile.now() - grace.toMillis() / 10)));
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
            var daemon = StubDaemonProcess.start(
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
    class WithoutCgroups extends Core {
        @Override
        String means() {
            return "ungrouped";
        }
    }

    /** The rest of it, with {@code -Droost.full=true}. */
    @Tag("portable")
    @Nested
    @ParameterizedClass(allowZeroInvocations = true)
    @MethodSource("inFull")
    class AllWithoutCgroups extends Contract {

        private final String means;

        AllWithoutCgroups(String means) {
            this.means = means;
        }

        static Stream<String> inFull() {
            return Boolean.getBoolean("roost.full") ? Stream.of("ungrouped") : Stream.empty();
        }

        @Override
        String means() {
            return means;
        }
    }
}
