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

/** No orphans: whatever an agent does to hide its children, they end with it. */
class ProcessTreeProcessTest {

    /** One child of each kind: plain, double-forked, in a session of its own, and that with a cleaned environment too. */
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

        private List<Long> escaped() {
            var pids = awaitFile("pids");
            await().atMost(SOON).until(() -> Files.readAllLines(pids).size() == KINDS);
            try {
                return Files.readAllLines(pids).stream().map(Long::valueOf).toList();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        private static boolean lives(long pid) {
            try {
                String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
                return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
            } catch (IOException e) {
                return false;
            }
        }

        private void assertNoneLives(List<Long> pids) {
            assertThat(pids).hasSize(KINDS).noneMatch(Contract::lives);
        }

        @Test
        void after_a_stop_none_of_them_lives() {
            RunRecord run = sh(ESCAPES + "wait; sleep 1000");
            var pids = escaped();
            assertThat(pids).allMatch(Contract::lives);
            assertThat(service.stop(show(run), AS_PARENT).status()).isEqualTo(Status.CANCELED_BY_USER);
            assertNoneLives(pids);
        }

        @Test
        void after_a_normal_end_none_of_them_lives_and_all_are_listed() {
            RunRecord run = sh(": >> \"$SCRATCH/pids\"; " + ESCAPES
                    + "while [ $(wc -l < \"$SCRATCH/pids\") -lt 5 ]; do sleep 0.05; done; echo done");
            var ended = awaitEnd(run);
            assertThat(ended.status()).isEqualTo(Status.COMPLETED);
            var listed = ended.latest().evidence().orElseThrow().leftovers();
            assertThat(escaped()).allMatch(pid -> listed.stream().anyMatch(line -> line.startsWith(pid + " ")));
            assertNoneLives(escaped());
        }

        @Test
        void after_the_loss_of_perch_and_agent_none_of_them_lives() {
            RunRecord run = sh(ESCAPES + "wait; sleep 1000");
            var pids = escaped();
            kill(perch(run));
            kill(agent(run));
            assertThat(awaitEnd(run).status()).isEqualTo(Status.ABANDONED);
            assertNoneLives(pids);
        }

        @Test
        void after_a_loss_that_only_the_next_daemon_finds_none_of_them_lives() {
            RunRecord run = sh(ESCAPES + "wait; sleep 1000");
            var pids = escaped();
            var perch = perch(run);
            var agent = agent(run);
            service.close();
            kill(perch);
            kill(agent);
            service = open();
            assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
            assertNoneLives(pids);
        }

        @Test
        void one_that_hides_its_environment_and_its_output_but_not_its_session_is_found_too() {
            var run = sh(
                    "(env -i /bin/sh -c 'echo $$ > \"$0\"; exec /bin/sleep 1000' \"$SCRATCH/hidden\" >/dev/null 2>&1 &) ; sleep 1000");
            var pid = onlyPid("hidden");
            service.stop(show(run), AS_PARENT);
            assertThat(lives(pid)).isFalse();
        }

        @Test
        void one_that_hides_everything_after_it_was_seen_is_still_known_to_the_next_daemon() throws Exception {
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
            assertThat(lives(pid)).isFalse();
        }

        @Test
        void a_daemon_that_grew_out_of_a_run_is_not_ended_with_it() throws Exception {
            new ProcessBuilder("mkfifo", scratch.resolve("pipe").toString())
                    .start()
                    .waitFor();
            var run = sh(
                    "sh -c 'echo $$ > \"$0\"; sleep 0.5; ROOST_DAEMON=1 exec sh -c \"read x\" dev.roost.daemon.DaemonMain'"
                            + " \"$SCRATCH/grown\" <> \"$SCRATCH/pipe\" & wait");
            var pid = onlyPid("grown");
            service.sweep(); // sees it as one of the run's, which it is until it becomes a daemon
            await().atMost(SOON)
                    .until(() -> Files.readString(Path.of("/proc/" + pid + "/environ"))
                            .contains("ROOST_DAEMON=1"));
            service.stop(show(run), AS_PARENT);
            assertThat(lives(pid)).isTrue();
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            await().atMost(SOON).until(() -> !lives(pid));
        }

        @Test
        void one_that_hides_its_parent_its_session_and_its_environment_may_not_start_runs_either() {
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
        void the_mark_of_a_daemon_alone_saves_nobody() {
            var run = sh(
                    "ROOST_DAEMON=1 setsid sh -c 'echo $$ > \"$0\"; exec sleep 1000' \"$SCRATCH/marked\" & sleep 1000");
            var pid = onlyPid("marked");
            service.stop(show(run), AS_PARENT);
            assertThat(lives(pid)).isFalse();
        }

        @Test
        void one_that_still_writes_to_the_output_through_another_descriptor_is_found_too() {
            var run = sh(
                    "(env -i /usr/bin/setsid /bin/sh -c 'exec 7>&1 >/dev/null 2>&1; echo $$ > \"$0\"; exec /bin/sleep 1000'"
                            + " \"$SCRATCH/quiet\" &) ; sleep 1000");
            var pid = onlyPid("quiet");
            service.stop(show(run), AS_PARENT);
            assertThat(lives(pid)).isFalse();
        }

        @Tag("linux") // elsewhere it may be gone before ps has told of it
        @Test
        void one_that_forks_and_goes_again_and_again_is_caught() throws Exception {
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
        void one_that_left_its_group_does_not_outlive_its_run_for_long() {
            var other = cgroups()
                    .base()
                    .map(base -> base.getParent() + "/cgroup.procs")
                    .orElse("/dev/null");
            var run = sh("(echo 0 > %s; exec setsid sh -c 'echo $$ > \"$0\"; exec sleep 1000' \"$SCRATCH/left\") &"
                            .formatted(other)
                    + " while [ ! -s \"$SCRATCH/left\" ]; do sleep 0.05; done; echo done");
            assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
            var pid = onlyPid("left");
            await().atMost(SOON).until(() -> !lives(pid));
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
        void stopping_one_run_leaves_its_neighbour_and_those_who_watch_it_alone() throws Exception {
            var doomed = sh("echo hello; sleep 1000");
            var neighbour = sh("sleep 1000");
            agent(doomed);
            var neighbourAgent = agent(neighbour);
            var watcher = new ProcessBuilder(
                            "tail", "-f", home.run(doomed.id()).attempt(1).out().toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            service.stop(show(doomed), AS_PARENT);
            assertThat(lives(neighbourAgent.pid())).isTrue();
            assertThat(watcher.isAlive()).isTrue();
            watcher.destroyForcibly().waitFor();
        }
    }

    /** Where the machine gives cgroups; if this one does not, the tests below still hold. */
    @Nested
    class WithTheBestMeans extends Contract {}

    /** The old kind of cgroup, which has no kill in one stroke. */
    @Nested
    class WithOldCgroups extends Contract {
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
