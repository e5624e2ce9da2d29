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

/** The guard kills the agents of a daemon that does not come back, and none of a daemon that comes back in time. */
class NodeGuardProcessTest {

    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration LONG_GRACE = Duration.ofMinutes(5);

    /** A plain child, one in its own session, one that also has an empty environment, and the shell that started them. */
    private static final String AGENT = "sleep 1000 & echo $! >>$SCRATCH/pids; "
            + "(setsid sh -c 'echo $$ >>$SCRATCH/pids; exec sleep 1000' &); "
            + "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ >>\"$0\"; exec /bin/sleep 1000' $SCRATCH/pids &); "
            + "echo $$ >>$SCRATCH/pids; wait; sleep 1000";

    /** The least that holds with and without cgroups. */
    abstract static class Core extends NodeGuardFixture {

        @Test
        void agents_of_a_killed_daemon_are_killed_after_the_grace_period_and_not_before() throws Exception {
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
        void a_daemon_that_comes_back_in_time_keeps_its_agents_and_has_the_only_guard() throws Exception {
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
        void the_guard_of_a_second_daemon_kills_the_agents_of_the_first() throws Exception {
            var first = daemon(LONG_GRACE);
            first.run(run, AGENT);
            var agents = agents();
            first.kill();
            daemon(Duration.ZERO).kill();
            awaitEnd(agents);
            await().atMost(SOON).until(() -> guards().isEmpty());
        }

        @Test
        void the_grace_period_counts_from_the_last_lease_renewal_even_if_the_daemon_restarts() throws Exception {
            var grace = SOON.multipliedBy(2); // not longer: the machine may have booted a moment ago
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
        void agents_of_a_daemon_that_was_stopped_are_killed_after_the_grace_period_too() throws Exception {
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
        void a_daemon_that_comes_back_kills_a_guard_that_is_killing_agents() throws Exception {
            var first = daemon(Duration.ZERO);
            first.run(run, AGENT);
            var agents = agents();
            first.kill();
            // the guard's JVM needs a moment before it kills; if it is already gone, the attempt is fenced
            await().atMost(SOON)
                    .until(() -> !guardJvms().isEmpty() || attempt(run).fenced().isPresent());
            var second = daemon(LONG_GRACE);
            assertThat(guardJvms()).isEmpty();
            assertThat(guards()).containsExactly(second.guard());
            if (attempt(run).fenced().isPresent()) assertThat(agents).noneMatch(Processes::alive);
        }

        @Test
        void a_daemon_stopped_by_a_signal_does_not_count_as_dead() throws Exception {
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
        void a_guard_ends_when_its_home_is_removed() throws Exception {
            var daemon = daemon(LONG_GRACE);
            daemon.kill();
            assertThat(guards()).containsExactly(daemon.guard());
            new RunDirectory(root).delete();
            await().atMost(SOON).until(() -> guards().isEmpty());
            assertThat(root).doesNotExist();
        }

        @Test
        void a_live_daemon_restarts_a_guard_that_is_killed() throws Exception {
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
    class WithCgroupsIfAvailable extends Contract {
        @Override
        String grouping() {
            return "grouped";
        }

        @Test
        void killing_every_process_in_the_cgroup_of_the_daemon_leaves_the_guard() throws Exception {
            var base = Cgroups.open().base();
            assumeThat(base).as("a cgroup that this user may divide").isPresent();
            var group = Files.createDirectory(base.orElseThrow().resolveSibling("roost-test-" + run));
            var daemon = StubDaemonProcess.start(
                    root, GRACE, grouping(), "sh", "-c", "echo 0 >$0/cgroup.procs && exec \"$@\"", group.toString());
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
                Files.delete(empty); // the guard left no cgroup of its own
        }
    }

    @Tag("portable")
    @Nested
    class WithoutCgroups extends Core {
        @Override
        String grouping() {
            return "ungrouped";
        }
    }

    /** All tests, with {@code -Droost.full=true} only. */
    @Tag("portable")
    @Nested
    @ParameterizedClass(allowZeroInvocations = true)
    @MethodSource("inFull")
    class AllWithoutCgroups extends Contract {

        private final String grouping;

        AllWithoutCgroups(String grouping) {
            this.grouping = grouping;
        }

        static Stream<String> inFull() {
            return Boolean.getBoolean("roost.full") ? Stream.of("ungrouped") : Stream.empty();
        }

        @Override
        String grouping() {
            return grouping;
        }
    }
}
