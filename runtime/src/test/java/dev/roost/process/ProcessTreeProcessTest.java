package dev.roost.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Refusal;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Status;
import dev.roost.service.RealProcessFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run leaves no orphans: its children end with it, however the agent hides them. */
class ProcessTreeProcessTest {

    /** One child of each kind: plain, double-forked, in its own session, both, and with an empty environment in addition. */
    private static final String ESCAPES = """
            child() { sh -c 'echo $$ >> "$0"; exec sleep 1000' "$SCRATCH/pids"; }
            child &
            (child &)
            setsid sh -c 'echo $$ >> "$0"; exec sleep 1000' "$SCRATCH/pids" &
            (setsid sh -c 'echo $$ >> "$0"; exec sleep 1000' "$SCRATCH/pids" &)
            (env -i /usr/bin/setsid /bin/sh -c 'echo $$ >> "$0"; exec /bin/sleep 1000' "$SCRATCH/pids" &)
            """;

    private static final int KINDS = 5;

    abstract static class Contract extends RealProcessFixture {

        private List<Long> childPids() {
            var pids = awaitFile("pids");
            await().atMost(SOON).until(() -> Files.readAllLines(pids).size() == KINDS);
            try {
                return Files.readAllLines(pids).stream().map(Long::valueOf).toList();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        private static boolean isAlive(long pid) {
            try {
                String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
                return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
            } catch (IOException e) {
                return false;
            }
        }

        private void assertNoneIsAlive(List<Long> pids) {
            assertThat(pids).hasSize(KINDS).noneMatch(Contract::isAlive);
        }

        @Test
        void a_stop_kills_every_kind_of_child() {
            RunRecord run = sh(ESCAPES + "wait; sleep 1000");
            var pids = childPids();
            assertThat(pids).allMatch(Contract::isAlive);
            assertThat(service.stop(show(run), AS_PARENT).status()).isEqualTo(Status.CANCELED_BY_USER);
            assertNoneIsAlive(pids);
        }

        @Test
        void a_normal_end_kills_and_lists_every_kind_of_child() {
            RunRecord run = sh(": >> \"$SCRATCH/pids\"; " + ESCAPES
                    + "while [ $(wc -l < \"$SCRATCH/pids\") -lt 5 ]; do sleep 0.05; done; echo done");
            var ended = awaitEnd(run);
            assertThat(ended.status()).isEqualTo(Status.COMPLETED);
            var listed = ended.latest().evidence().orElseThrow().leftovers();
            assertThat(childPids()).allMatch(pid -> listed.stream().anyMatch(line -> line.startsWith(pid + " ")));
            assertNoneIsAlive(childPids());
        }

        @Test
        void the_loss_of_perch_and_agent_kills_every_kind_of_child() {
            RunRecord run = sh(ESCAPES + "wait; sleep 1000");
            var pids = childPids();
            kill(perch(run));
            kill(agent(run));
            assertThat(awaitEnd(run).status()).isEqualTo(Status.ABANDONED);
            assertNoneIsAlive(pids);
        }

        @Test
        void a_loss_found_by_the_next_daemon_kills_every_kind_of_child() {
            RunRecord run = sh(ESCAPES + "wait; sleep 1000");
            var pids = childPids();
            var perch = perch(run);
            var agent = agent(run);
            service.close();
            kill(perch);
            kill(agent);
            service = open();
            assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
            assertNoneIsAlive(pids);
        }

        @Test
        void a_child_without_environment_and_output_is_found_by_its_session() {
            var run = sh(
                    "(env -i /bin/sh -c 'echo $$ > \"$0\"; exec /bin/sleep 1000' \"$SCRATCH/hidden\" >/dev/null 2>&1 &) ; sleep 1000");
            var pid = onlyPid("hidden");
            service.stop(show(run), AS_PARENT);
            assertThat(isAlive(pid)).isFalse();
        }

        @Test
        void a_known_child_that_then_hides_everything_is_still_known_to_the_next_daemon() throws Exception {
            var run = sh("""
                    (env -i /usr/bin/setsid /bin/sh -c 'echo $$ > "$0"; while [ ! -e "$0.go" ]; do /bin/sleep 0.05; done
                        exec /bin/sleep 1000' "$SCRATCH/hidden" >/dev/null 2>&1 & wait $!) &
                    parent=$!
                    while [ ! -e "$SCRATCH/hidden.go" ]; do sleep 0.05; done
                    kill -9 $parent
                    touch "$SCRATCH/orphaned"
                    sleep 1000
                    """);
            var pid = onlyPid("hidden");
            service.sweep();
            Files.createFile(scratch.resolve("hidden.go"));
            awaitFile("orphaned");
            restart();
            service.stop(show(run), AS_PARENT);
            assertThat(isAlive(pid)).isFalse();
        }

        @Test
        void a_daemon_started_inside_a_run_is_not_killed_with_the_run() throws Exception {
            new ProcessBuilder("mkfifo", scratch.resolve("pipe").toString())
                    .start()
                    .waitFor();
            var run = sh(
                    "sh -c 'echo $$ > \"$0\"; sleep 0.5; ROOST_DAEMON=1 exec sh -c \"read x\" dev.roost.daemon.DaemonMain'"
                            + " \"$SCRATCH/grown\" <> \"$SCRATCH/pipe\" & wait");
            var pid = onlyPid("grown");
            service.sweep(); // records it as a process of the run, which it is until it becomes a daemon
            await().atMost(SOON)
                    .until(() -> Files.readString(Path.of("/proc/" + pid + "/environ"))
                            .contains("ROOST_DAEMON=1"));
            service.stop(show(run), AS_PARENT);
            assertThat(isAlive(pid)).isTrue();
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            await().atMost(SOON).until(() -> !isAlive(pid));
        }

        @Test
        void a_child_without_parent_session_and_environment_may_not_start_runs() {
            sh(
                    "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ > \"$0\"; exec /bin/sleep 1000' \"$SCRATCH/deep\" &) ; sleep 1000");
            var inside = new StartRequest.Origin(Optional.empty(), Optional.of(onlyPid("deep")));
            var asked = request("true");
            assertThatThrownBy(() -> service.start(new StartRequest(
                            PARENT,
                            "command",
                            asked.task(),
                            Optional.empty(),
                            Optional.empty(),
                            scratch,
                            Map.of(),
                            "022",
                            Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                            Optional.empty(),
                            inside)))
                    .isInstanceOf(Refusal.class);
        }

        @Test
        void the_daemon_variable_alone_does_not_protect_a_process() {
            var run = sh(
                    "ROOST_DAEMON=1 setsid sh -c 'echo $$ > \"$0\"; exec sleep 1000' \"$SCRATCH/marked\" & sleep 1000");
            var pid = onlyPid("marked");
            service.stop(show(run), AS_PARENT);
            assertThat(isAlive(pid)).isFalse();
        }

        @Test
        void a_child_that_writes_to_the_output_by_another_descriptor_is_found() {
            var run = sh(
                    "(env -i /usr/bin/setsid /bin/sh -c 'exec 7>&1 >/dev/null 2>&1; echo $$ > \"$0\"; exec /bin/sleep 1000'"
                            + " \"$SCRATCH/quiet\" &) ; sleep 1000");
            var pid = onlyPid("quiet");
            service.stop(show(run), AS_PARENT);
            assertThat(isAlive(pid)).isFalse();
        }

        @Tag("linux") // elsewhere it may exit before ps reports it
        @Test
        void a_process_that_keeps_forking_and_exiting_is_killed() throws Exception {
            Files.writeString(scratch.resolve("hop"), "sleep 0.03; setsid sh \"$0\" & echo $$ >> \"$SCRATCH/hops\"");
            var run = sh("sh \"$SCRATCH/hop\"; sleep 0.5; echo done");
            assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
            await().atMost(SOON).until(() -> {
                long before = Files.size(scratch.resolve("hops"));
                Thread.sleep(300);
                return Files.size(scratch.resolve("hops")) == before;
            });
        }

        @Test
        void a_child_that_left_its_cgroup_is_killed_soon_after_the_run() {
            var other = cgroups()
                    .base()
                    .map(base -> base.getParent() + "/cgroup.procs")
                    .orElse("/dev/null");
            var run = sh("(echo 0 > %s; exec setsid sh -c 'echo $$ > \"$0\"; exec sleep 1000' \"$SCRATCH/left\") &"
                            .formatted(other)
                    + " while [ ! -s \"$SCRATCH/left\" ]; do sleep 0.05; done; echo done");
            assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
            var pid = onlyPid("left");
            await().atMost(SOON).until(() -> !isAlive(pid));
        }

        private long onlyPid(String name) {
            var file = awaitFile(name);
            await().atMost(SOON).until(() -> Files.readString(file).endsWith("\n"));
            try {
                return Long.parseLong(Files.readString(file).strip());
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        @Test
        void stopping_a_run_leaves_other_runs_and_readers_of_its_output_alive() throws Exception {
            var doomed = sh("echo hello; sleep 1000");
            var neighbour = sh("sleep 1000");
            agent(doomed);
            var neighbourAgent = agent(neighbour);
            var watcher = new ProcessBuilder(
                            "tail", "-f", home.run(doomed.id()).attempt(1).out().toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            service.stop(show(doomed), AS_PARENT);
            assertThat(isAlive(neighbourAgent.pid())).isTrue();
            assertThat(watcher.isAlive()).isTrue();
            watcher.destroyForcibly().waitFor();
        }
    }

    /** The default on this machine; without cgroups it is the same as the variants below. */
    @Nested
    class WithCgroupsIfAvailable extends Contract {}

    /** cgroup v1 has no {@code cgroup.kill}. */
    @Nested
    class WithCgroupsV1 extends Contract {
        @Override
        public Cgroups cgroups() {
            return Cgroups.open(Cgroups.Version.V1);
        }
    }

    @Tag("portable")
    @Nested
    class WithoutCgroupsInAHomeBehindASymlink extends Contract {
        @Override
        public Cgroups cgroups() {
            return Cgroups.none();
        }

        @BeforeEach
        @Override
        public void openRoost() throws IOException {
            Files.createSymbolicLink(scratch.resolve("home"), Files.createDirectory(scratch.resolve("elsewhere")));
            super.openRoost();
        }
    }

    @Nested
    class WithoutCgroups extends Contract {
        @Override
        public Cgroups cgroups() {
            return Cgroups.none();
        }
    }
}
