package dev.roost.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.home.AttemptDirectory;
import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.os.Processes;
import dev.roost.os.SystemClock;
import dev.roost.process.Cgroups;
import dev.roost.process.PerchLauncher;
import dev.roost.process.Script;
import dev.roost.testing.StubDaemon;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An attempt that another node owns is killed completely, and its directory has a fence mark. */
@Tag("portable")
class AttemptFenceProcessTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private final SystemClock clock = new SystemClock();
    private final List<RunId> runs = new ArrayList<>();
    private Home home;
    private PerchLauncher launcher;
    private AttemptFence fence;

    @BeforeEach
    void openHome() throws IOException {
        Files.createDirectory(directory.resolve("scratch"));
        home = Home.open(directory.resolve("home"));
        launcher = new PerchLauncher(home, Cgroups.open());
        fence = new AttemptFence(home, launcher, clock);
    }

    @AfterEach
    void killProcesses() throws IOException {
        for (var run : runs) {
            var tree = launcher.tree(run, 1, attempt(run));
            tree.kill(Set.of());
            tree.freeGroup();
        }
    }

    private RunId start(String script) throws IOException {
        var run = RunId.create(Instant.now());
        runs.add(run);
        StubDaemon.launch(home, launcher, run, script);
        return run;
    }

    private AttemptDirectory attempt(RunId run) {
        return home.run(run).attempt(1);
    }

    private ProcessId agent(RunId run) throws IOException {
        await().atMost(SOON).until(() -> attempt(run).start().isPresent());
        return attempt(run).start().orElseThrow().agent();
    }

    @Test
    void a_fenced_attempt_has_a_mark_and_never_an_exit_record() throws Exception {
        var run = start("trap 'exit 0' TERM; while :; do sleep 0.1; done");
        var agent = agent(run);
        var outcome = fence.end(run, 1, "node b goes on with it");
        assertThat(outcome.isDone()).isTrue();
        assertThat(Processes.alive(agent)).isFalse();
        assertThat(attempt(run).exit()).isEmpty();
        assertThat(attempt(run).fenced().orElseThrow().why()).isEqualTo("node b goes on with it");
    }

    @Test
    void fencing_an_attempt_again_changes_nothing() throws Exception {
        var run = start("sleep 1000");
        agent(run);
        fence.end(run, 1, "first");
        var first = attempt(run).fenced();
        assertThat(fence.end(run, 1, "second").isDone()).isTrue();
        assertThat(attempt(run).fenced()).isEqualTo(first);
        assertThat(AttemptFence.marks(home))
                .containsExactly(new AttemptFence.FencedAttempt(run, 1, first.orElseThrow()));
    }

    @Test
    void an_ended_attempt_keeps_its_exit_record_and_its_leftovers_are_killed() throws Exception {
        var run = start("(setsid sh -c 'echo $$ >$SCRATCH/pid; exec sleep 1000' &); "
                + "while [ ! -s $SCRATCH/pid ]; do sleep 0.05; done; exit 3");
        await().atMost(SOON).until(() -> attempt(run).exit().isPresent());
        long left = Long.parseLong(
                Files.readString(directory.resolve("scratch/pid")).strip());
        assertThat(Processes.row(left)).isPresent();
        assertThat(fence.fenceAll((_, _) -> true, "away")).isEmpty();
        await().atMost(SOON)
                .until(() ->
                        Processes.row(left).filter(row -> row.state() != 'Z').isEmpty());
        assertThat(attempt(run).exit()).contains(new Exit(3, false));
        assertThat(attempt(run).fenced()).isEmpty();
        assertThat(fence.end(run, 1, "away").exited()).isTrue();
        assertThat(attempt(run).fenced()).isEmpty();
    }

    @Test
    void only_the_selected_attempts_are_fenced() throws Exception {
        var own = start("sleep 1000");
        var foreign = start("sleep 1000");
        var ownAgent = agent(own);
        var foreignAgent = agent(foreign);
        assertThat(fence.fenceAll((run, _) -> run.equals(foreign), "taken over"))
                .singleElement()
                .satisfies(outcome -> assertThat(outcome.run()).isEqualTo(foreign));
        assertThat(Processes.alive(foreignAgent)).isFalse();
        assertThat(Processes.alive(ownAgent)).isTrue();
        assertThat(attempt(own).fenced()).isEmpty();
    }

    @Test
    void a_perch_that_starts_after_the_fence_runs_nothing() throws Exception {
        var run = RunId.create(Instant.now());
        runs.add(run);
        StubDaemon.prepare(home, run, "touch $SCRATCH/ran");
        assertThat(fence.end(run, 1, "taken over").isDone()).isTrue();
        // a slow perch that was launched before
        var late = new ProcessBuilder(
                        "env",
                        "ROOST_BOOT=" + Processes.bootId(),
                        "sh",
                        Script.install(home, "perch").toString(),
                        attempt(run).path().toString(),
                        "1",
                        "",
                        "/dev/null",
                        "touch",
                        directory.resolve("scratch/ran").toString())
                .start();
        assertThat(late.waitFor()).isZero();
        assertThat(directory.resolve("scratch/ran")).doesNotExist();
        assertThat(attempt(run).fenced()).isPresent();
    }

    @Test
    void a_fenced_attempt_that_is_started_again_can_be_fenced_again() throws Exception {
        var run = RunId.create(Instant.now());
        runs.add(run);
        var prepared = StubDaemon.prepare(home, run, "sleep 1000");
        fence.end(run, 1, "taken over");
        launcher.launch(launcher.tree(run, 1, prepared), prepared, Map.of());
        var agent = agent(run);
        assertThat(attempt(run).fenced()).isEmpty();
        assertThat(fence.fenceAll((_, _) -> true, "away")).singleElement().matches(AttemptFence.FenceResult::isDone);
        assertThat(Processes.alive(agent)).isFalse();
    }

    @Test
    void an_attempt_that_never_started_is_not_fenced() throws Exception {
        var run = RunId.create(Instant.now());
        StubDaemon.prepare(home, run, "true");
        assertThat(fence.fenceAll((_, _) -> true, "away")).isEmpty();
        assertThat(attempt(run).fenced()).isEmpty();
        assertThat(attempt(run).hasBegun()).isFalse();
    }

    @Test
    void a_guard_does_nothing_while_a_daemon_holds_the_lock() throws Exception {
        var run = start("sleep 1000");
        var agent = agent(run);
        try (var _ = NodeGuardLock.take(home).orElseThrow()) {
            assertThat(NodeGuardMain.fence(home, clock)).isEqualTo(NodeGuardMain.DAEMON_IS_BACK);
        }
        assertThat(Processes.alive(agent)).isTrue();
        assertThat(NodeGuardMain.fence(home, clock)).isEqualTo(NodeGuardMain.DONE);
        assertThat(Processes.alive(agent)).isFalse();
    }

    @Test
    void a_guard_does_nothing_while_a_daemon_outside_a_cluster_serves_the_home() throws Exception {
        var run = start("sleep 1000");
        var agent = agent(run);
        try (var socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(home.socket()));
            assertThat(NodeGuardMain.fence(home, clock)).isEqualTo(NodeGuardMain.DONE);
        }
        assertThat(Processes.alive(agent)).isTrue();
        assertThat(PrivateFiles.tail(home.logs().resolve("guard.log"), 1000)).contains("no attempt was ended");
    }

    @Test
    void a_stale_socket_does_not_stop_the_guard() throws Exception {
        var run = start("sleep 1000");
        var agent = agent(run);
        try (var socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(home.socket()));
        }
        assertThat(home.socket()).exists();
        assertThat(NodeGuardMain.fence(home, clock)).isEqualTo(NodeGuardMain.DONE);
        assertThat(Processes.alive(agent)).isFalse();
    }

    @Test
    void an_attempt_that_cannot_be_marked_is_killed_and_fenced_again_later() throws Exception {
        var run = start("sleep 1000");
        var agent = agent(run);
        var obstacle = attempt(run).path().resolve("fenced.tmp");
        Files.createDirectories(obstacle.resolve("full")); // prevents the mark as a full disk would
        assertThat(fence.end(run, 1, "away").isDone()).isFalse();
        assertThat(Processes.alive(agent)).isFalse();
        Files.delete(obstacle.resolve("full"));
        assertThat(fence.fenceAll((_, _) -> true, "away")).singleElement().matches(AttemptFence.FenceResult::isDone);
        assertThat(attempt(run).fenced()).isPresent();
    }
}
