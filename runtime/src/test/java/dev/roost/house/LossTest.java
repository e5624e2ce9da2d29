package dev.roost.house;

import static java.nio.file.attribute.PosixFilePermission.OWNER_READ;
import static java.nio.file.attribute.PosixFilePermission.OWNER_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Profile;
import dev.roost.ledger.Event;
import dev.roost.ledger.NewRun;
import dev.roost.ledger.Run;
import dev.roost.ledger.SqliteLedger;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Cause;
import dev.roost.run.ProcessId;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.supervisor.Processes;
import dev.roost.supervisor.Spec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deaths of every kind: each gets its own right state and cause, and nothing is left running. */
@Tag("portable")
class LossTest extends RealProcesses {

    @Test
    void an_agent_killed_alone_has_failed_by_a_signal_which_its_perch_saw() {
        var run = sh("echo working; sleep 1000");
        kill(agent(run));

        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.FAILED);
        assertThat(ended.latest().cause()).contains(Cause.SIGNAL);
        assertThat(ended.latest().evidence().orElseThrow().exit().orElseThrow().signal())
                .isEqualTo(9);
        assertGone(perch(run), agent(run));
    }

    @Test
    void a_perch_killed_alone_takes_its_agent_with_it_and_the_run_is_lost() {
        var run = sh("echo working; sleep 1000");
        var agent = agent(run);
        kill(perch(run));

        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.ABANDONED);
        assertThat(ended.latest().cause()).contains(Cause.PERCH_LOST);
        assertThat(result(run)).as("what it had said is kept").isEqualTo("working\n");
        assertGone(agent);
    }

    @Test
    void a_perch_that_somebody_stopped_still_records_the_end() throws Exception {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo done");
        var stopped =
                new ProcessBuilder("kill", "-STOP", Long.toString(perch(run).pid()));
        assertThat(stopped.start().waitFor()).isZero();
        Files.createFile(scratch.resolve("go"));

        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("done\n");
    }

    @Test
    void a_stopped_perch_is_noticed_even_if_its_agent_ends_without_a_word() throws Exception {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done");
        var stopped =
                new ProcessBuilder("kill", "-STOP", Long.toString(perch(run).pid()));
        assertThat(stopped.start().waitFor()).isZero();
        Files.createFile(scratch.resolve("go"));

        assertThat(awaitEnd(run).status()).as("nothing but the patrol can tell").isEqualTo(Status.COMPLETED_EMPTY);
    }

    @Test
    void perch_and_agent_killed_together_are_lost_not_completed() {
        var run = sh("echo working; sleep 1000");
        var agent = agent(run);
        kill(perch(run));
        kill(agent);

        assertThat(awaitEnd(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(house.notices(run)).hasSize(1);
    }

    @Test
    void an_agent_that_ended_while_no_daemon_was_there_is_judged_by_its_record() throws IOException {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo finished alone");
        var perch = perch(run);
        house.close();
        Files.createFile(scratch.resolve("go"));
        await().atMost(SOON).until(() -> !Processes.alive(perch));
        var exitSeen =
                Files.getLastModifiedTime(home.run(run.id()).attempt(1).path().resolve("exit"));

        house = open();

        assertThat(show(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("finished alone\n");
        assertThat(show(run).latest().endedAt().orElseThrow().toEpochMilli())
                .as("it ended then, not when somebody looked")
                .isEqualTo(exitSeen.toMillis());
        assertThat(house.notices(run)).hasSize(1);
    }

    @Test
    void everything_that_dies_while_no_daemon_was_there_is_settled_before_the_next_one_serves() {
        var run = sh("sleep 1000");
        var perch = perch(run);
        var agent = agent(run);
        house.close();
        kill(perch);
        kill(agent);

        house = open();

        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(show(run).latest().evidence().orElseThrow().agent()).contains(agent);
    }

    @Test
    void a_live_run_is_attached_again_and_its_output_has_neither_gaps_nor_doubles() throws IOException {
        var run = sh("i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo line $i; sleep 0.05; done");
        for (int i = 0; i < 4; i++) {
            int lines = 5 + i * 8;
            await().atMost(SOON)
                    .until(() -> Files.readString(house.outputFile(run)).lines().count() >= lines);
            restart();
        }
        var expected = new StringBuilder();
        for (int i = 1; i <= 40; i++) expected.append("line ").append(i).append('\n');
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo(expected.toString());
        await().untilAsserted(
                        () -> assertThat(house.outputFile(run)).content().startsWith(expected + "\n---\ncompleted"));
        assertThat(house.events(run)).extracting(Event::kind).contains("reattached");
    }

    @Test
    void a_stop_asked_for_just_before_the_daemon_died_is_carried_out_by_the_next_one() {
        var run = sh("trap '' TERM; while :; do sleep 0.1; done");
        var agent = agent(run);
        house.close();
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.requestStop(run.id(), new dev.roost.run.Stop.ByUser("operator"));
        }
        house = open();
        assertThat(awaitEnd(run).status()).isEqualTo(Status.CANCELED_BY_USER);
        assertGone(agent);
    }

    @Test
    void the_directory_of_a_run_that_was_not_accepted_any_more_is_removed_and_a_queued_row_is_started()
            throws IOException {
        house.close();
        var id = RunId.create(clock().now());
        var stranger = home.run(id);
        home.accepting().begin(id);
        stranger.create();
        var queued = row("echo", "started later");
        house = open();
        assertThat(stranger.path()).doesNotExist();
        assertThat(home.accepting().left()).isEmpty();
        assertThat(result(awaitEnd(show(queued)))).isEqualTo("started later\n");
    }

    @Test
    void a_run_that_was_claimed_but_never_launched_is_started_once() throws IOException {
        house.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.claimNext(Caps.NONE);
        }
        house = open();
        assertThat(awaitEnd(show(run)).status()).isEqualTo(Status.COMPLETED);
        assertThat(scratch.resolve("count")).hasContent("x\n");
    }

    @Test
    void a_perch_killed_before_it_recorded_its_start_is_replaced_and_the_agent_runs_once() throws Exception {
        house.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        var directory = home.run(run).attempt(1).path();
        exec("mkfifo", directory.resolve("out").toString()); // the perch's child waits here, before the agent is there
        house = open();
        await().atMost(SOON)
                .until(() ->
                        Files.exists(directory.resolve("begun.1")) && Files.size(directory.resolve("begun.1")) > 0);
        var words = Files.readString(directory.resolve("begun.1")).split(" ", -1);
        Files.delete(directory.resolve("out"));
        kill(new ProcessId(Long.parseLong(words[0]), Long.parseLong(words[1])));

        assertThat(awaitEnd(show(run)).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(show(run))).isEqualTo("ran\n");
        assertThat(scratch.resolve("count")).hasContent("x\n");
        assertThat(directory.resolve("begun.2")).exists();
    }

    @Test
    void a_perch_that_a_new_daemon_gave_up_on_runs_nothing_when_it_wakes_at_last() throws Exception {
        house.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        var directory = home.run(run).attempt(1).path();
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.claimNext(Caps.NONE);
        }
        house = open();
        awaitEnd(show(run));
        // the perch that the dead daemon had sent off as number 1 gets its first slice of time only now
        Path script;
        try (var scripts = Files.newDirectoryStream(home.root().resolve("lib"), "perch-*.sh")) {
            script = scripts.iterator().next();
        }
        exec(
                "env",
                "ROOST_BOOT=" + Processes.bootId(),
                "sh",
                script.toString(),
                directory.toString(),
                "1",
                "",
                "/dev/null",
                "sh",
                "-c",
                "echo x >> " + scratch.resolve("count"));
        assertThat(scratch.resolve("count")).hasContent("x\n");
    }

    @Test
    void a_second_perch_that_a_dead_daemon_may_have_sent_off_cannot_begin_beside_ours() throws Exception {
        house.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        var directory = home.run(run).attempt(1).path();
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.claimNext(Caps.NONE);
        }
        // the first was killed before its agent began; whether the daemon has sent off another before it died, nobody
        // knows
        var first = new ProcessBuilder("true").start();
        assertThat(first.waitFor()).isZero();
        Files.writeString(directory.resolve("begun.1"), "%d 1 %s\n".formatted(first.pid(), Processes.bootId()));

        house = open();

        assertThat(result(awaitEnd(show(run)))).isEqualTo("ran\n");
        assertThat(directory.resolve("begun.2")).hasContent("revoked");
        assertThat(directory.resolve("begun.3")).exists();
        assertThat(scratch.resolve("count")).hasContent("x\n");
    }

    @Test
    void a_perch_that_was_stopped_before_it_started_its_agent_goes_on() throws Exception {
        house.close();
        var run = row("true");
        var directory = home.run(run).attempt(1).path();
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.claimNext(Caps.NONE);
        }
        Path script;
        try (var scripts = Files.newDirectoryStream(home.root().resolve("lib"), "perch-*.sh")) {
            script = scripts.iterator().next();
        }
        var builder = new ProcessBuilder("sh", "-c", "kill -STOP $$; exec setsid sh \"$@\"", "sh", script.toString());
        builder.command().addAll(List.of(directory.toString(), "2", "", "/dev/null", "echo", "ran"));
        builder.environment()
                .putAll(Map.of("ROOST_UMASK", "022", "ROOST_PATH", "/usr/bin:/bin", "ROOST_BOOT", Processes.bootId()));
        var perch = builder.start();
        var stat = Path.of("/proc/" + perch.pid() + "/stat");
        await().atMost(SOON).until(() -> Files.readString(stat).contains(") T "));
        long born = Processes.ancestors(perch.pid()).getFirst().startTicks();
        Files.writeString(directory.resolve("begun.1"), "%d %s %s\n".formatted(perch.pid(), born, Processes.bootId()));

        house = open();

        assertThat(result(awaitEnd(show(run)))).isEqualTo("ran\n");
        assertThat(perch.waitFor()).isZero();
    }

    @Test
    void a_reused_pid_is_told_apart_from_life() throws IOException {
        var run = sh("sleep 1000");
        var perch = perch(run);
        var agent = agent(run);
        house.close();
        kill(perch);
        kill(agent);
        // as if the perch's pid were used again, by a process with another start time: our own
        var start = home.run(run.id()).attempt(1).path().resolve("start");
        long self = ProcessHandle.current().pid();
        Files.writeString(
                start, Files.readString(start).replace("\"perch_pid\":" + perch.pid(), "\"perch_pid\":" + self));

        house = open();

        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(ProcessHandle.current().isAlive()).isTrue();
    }

    @Test
    void leftovers_of_a_normal_end_are_ended_and_listed() {
        var run = awaitEnd(sh("sleep 1234 & echo started; exit 0"));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(run.latest().evidence().orElseThrow().leftovers())
                .singleElement()
                .asString()
                .contains("sleep 1234");
    }

    @Test
    void an_ordinary_end_lists_no_leftovers() {
        for (int i = 0; i < 20; i++) {
            assertThat(awaitEnd(start("echo", "hi"))
                            .latest()
                            .evidence()
                            .orElseThrow()
                            .leftovers())
                    .isEmpty();
        }
    }

    @Test
    void a_missed_event_is_made_up_for_by_the_sweep() {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo swept");
        awaitBegun(run);
        house.sweep();
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
        try {
            Files.createFile(scratch.resolve("go"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
    }

    @Tag("linux") // elsewhere it is the same, and takes minutes
    @Test
    void four_hundred_live_runs_are_all_found_again() {
        var runs = new ArrayList<Run>();
        for (int i = 0; i < 400; i++) runs.add(start("sleep", "1000"));
        runs.forEach(this::awaitBegun);
        restart();
        assertThat(runs).allMatch(run -> show(run).status() == Status.RUNNING);
        assertThat(house.live()).isEqualTo(400);
    }

    @Test
    void what_is_in_the_runs_directory_but_not_in_the_ledger_is_not_thrown_away_if_it_ever_began() throws IOException {
        var run = awaitEnd(sh("echo precious"));
        house.close();
        Files.move(home.ledger(), scratch.resolve("moved-away.db"));
        Files.deleteIfExists(Path.of(home.ledger() + "-wal"));
        Files.createDirectory(home.runs().resolve("r_x"));
        house = open();
        assertThat(home.run(run.id()).attempt(1).result()).hasContent("precious");
        assertThat(home.runs().resolve("r_x")).exists();
    }

    @Test
    void records_that_a_failing_disk_has_emptied_count_as_absent() throws IOException {
        var run = sh("sleep 1000");
        var perch = perch(run);
        var agent = agent(run);
        house.close();
        Files.write(home.run(run.id()).attempt(1).path().resolve("start"), new byte[0]);
        Files.write(home.run(run.id()).attempt(1).path().resolve("exit"), new byte[0]);
        kill(perch);
        kill(agent);
        house = open();
        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
    }

    @Test
    void modes_that_an_agent_took_from_its_own_files_are_given_back() throws Exception {
        var run =
                sh("d=${ROOST_RESULT_FILE%/*}; echo result > $ROOST_RESULT_FILE; chmod 000 $d/* $d $d/..; sleep 1000");
        var directory = home.run(run.id()).attempt(1);
        await().atMost(SOON).until(() -> Files.exists(directory.result()));
        kill(agent(run));
        assertThat(awaitEnd(run).status()).isEqualTo(Status.FAILED);
        assertThat(result(run)).isEqualTo("result\n");
        for (var own : List.of(home.run(run.id()).path(), directory.path(), directory.result(), directory.out())) {
            assertThat(Files.getPosixFilePermissions(own)).as("%s", own).contains(OWNER_READ, OWNER_WRITE);
        }
    }

    @Test
    void what_nobody_can_look_into_can_still_be_pruned() throws Exception {
        var run = awaitEnd(sh("d=${ROOST_RESULT_FILE%/*}/x; mkdir -p $d/y; ln -s / $d/link; chmod 000 $d/y $d"));
        house.upkeep().prune(new Pruning(Duration.ZERO, OptionalLong.empty(), true, false));
        assertThat(home.run(run.id()).path()).doesNotExist();
        assertThat(Path.of("/etc/passwd")).exists();
    }

    /** Whatever a crash, a failing disk or a person did to the files of a run: it ends, and nothing of it is left. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo '{}' > start",
                "echo '{\"perch_pid\":\"x\"}' > start",
                "rm start; mkdir start",
                "echo '{}' > exit",
                "echo 7 > exit",
                "rm exit; mkdir exit",
                "rm exit; mkfifo exit",
                "echo garbage > spec.json",
                ": > cgroup",
                "printf 'a\\0b' > cgroup",
                "echo / > cgroup",
                "rm out; mkdir out",
                "rm out; mkfifo out",
                "rm err; mkfifo err",
                "rm -r $PWD",
                "rm -r ${PWD%/*}"
            })
    void damaged_files_keep_no_run_from_its_end(String damage) throws Exception {
        var run = sh("echo working; sleep 1000");
        var perch = perch(run);
        var agent = agent(run);
        house.close();
        kill(perch);
        kill(agent);
        var directory = home.run(run.id()).attempt(1).path();
        assertThat(new ProcessBuilder("sh", "-c", damage)
                        .directory(directory.toFile())
                        .start()
                        .waitFor())
                .isZero();
        house = open();
        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(house.notices(run)).hasSize(1);
        assertThat(home.runs()).isDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"echo garbage > spec.json", "echo '{}' > spec.json", "rm spec.json", "rm -r ${PWD%/*}"})
    void a_queued_run_whose_files_are_damaged_fails_and_frees_its_slot(String damage) throws Exception {
        house.close();
        var run = row("echo", "ran");
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.claimNext(Caps.NONE);
        }
        var directory = home.run(run).attempt(1).path();
        new ProcessBuilder("sh", "-c", damage)
                .directory(directory.toFile())
                .start()
                .waitFor();
        house = open();
        var ended = awaitEnd(show(run));
        assertThat(ended.status()).isEqualTo(Status.FAILED);
        assertThat(ended.latest().cause()).contains(Cause.SPAWN_FAILED);
    }

    @Test
    void a_ledger_put_back_to_when_a_run_was_queued_does_not_run_it_again() throws IOException {
        house.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        var copy = scratch.resolve("copy.db");
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.backUp(copy);
        }
        house = open();
        awaitEnd(show(run));
        house.close();
        Files.move(copy, home.ledger(), StandardCopyOption.REPLACE_EXISTING);

        house = open();

        assertThat(awaitEnd(show(run)).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(show(run))).isEqualTo("ran\n");
        assertThat(scratch.resolve("count")).hasContent("x\n");
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(house.outputFile(show(run))).content().startsWith("ran\n\n---\ncompleted"));
    }

    @Test
    void a_run_whose_own_records_were_lost_with_the_power_is_not_started_again() throws IOException {
        var run = sh("echo x >> \"$SCRATCH/count\"; sleep 1000");
        awaitFile("count");
        var perch = perch(run);
        var agent = agent(run);
        house.close();
        kill(perch);
        kill(agent);
        var directory = home.run(run.id()).attempt(1).path();
        Files.delete(directory.resolve("start"));
        Files.delete(directory.resolve("begun.1"));
        house = open();
        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(scratch.resolve("count")).hasContent("x\n");
    }

    @Test
    void a_perch_that_began_in_another_boot_and_never_started_its_agent_is_replaced() throws IOException {
        house.close();
        var run = row("echo", "ran");
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.claimNext(Caps.NONE);
        }
        Files.writeString(home.run(run).attempt(1).path().resolve("begun.1"), "1 1 another-boot\n");
        house = open();
        assertThat(result(awaitEnd(show(run)))).isEqualTo("ran\n");
    }

    @Tag("linux") // it takes its time, and nothing in it depends on the kernel
    @Test
    void a_daemon_that_goes_while_runs_are_just_being_taken_up_holds_on_to_none_of_their_files() throws IOException {
        for (int i = 0; i < 20; i++) {
            for (int n = 0; n < 5; n++) sh("true");
            house.close();
            assertThat(openFiles()).noneMatch(file -> file.startsWith(home.runs()));
            house = open();
        }
    }

    private static List<Path> openFiles() throws IOException {
        var files = new ArrayList<Path>();
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var descriptor : descriptors) {
                try {
                    files.add(Files.readSymbolicLink(descriptor));
                } catch (NoSuchFileException e) {
                    // closed meanwhile
                }
            }
        }
        return files;
    }

    private RunId row(String... argv) throws IOException {
        var id = RunId.create(clock().now());
        home.run(id).create();
        home.run(id)
                .attempt(1)
                .create(
                        new Spec(List.of(argv), scratch, "022", Spec.Input.NOTHING, Optional.empty()),
                        Map.of("PATH", System.getenv("PATH"), "SCRATCH", scratch.toString()),
                        Optional.empty(),
                        "");
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.submit(
                    new NewRun(
                            id,
                            Optional.empty(),
                            PARENT,
                            "command",
                            "command",
                            Profile.plain("command").json(),
                            "by hand",
                            scratch,
                            Budget.ofOutput(1 << 30),
                            false,
                            1,
                            Optional.empty()),
                    Caps.NONE);
        }
        return id;
    }

    private Run show(RunId run) {
        return house.find(run.text(), AS_OPERATOR);
    }

    private static void exec(String... words) throws Exception {
        assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isZero();
    }

    private static void assertGone(ProcessId... processes) {
        for (var process : processes) await().atMost(Duration.ofSeconds(5)).until(() -> !Processes.alive(process));
    }
}
