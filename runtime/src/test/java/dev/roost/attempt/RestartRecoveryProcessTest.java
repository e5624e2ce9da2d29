package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.attempt.testing.QueuedRunFixture;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A restarted daemon finds live, ended and queued runs and continues with them. */
@Tag("portable")
class RestartRecoveryProcessTest extends QueuedRunFixture {

    @Test
    void the_exit_record_decides_the_outcome_of_an_agent_that_ended_without_a_daemon() throws IOException {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo finished alone");
        var perch = perch(run);
        service.close();
        touch("go");
        await().atMost(SOON).until(() -> !Processes.alive(perch));
        var exitSeen =
                Files.getLastModifiedTime(home.run(run.id()).attempt(1).path().resolve("exit"));

        service = open();

        assertThat(show(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("finished alone\n");
        assertThat(show(run).latest().endedAt().orElseThrow().toEpochMilli())
                .as("the end is the time of the exit record, not of the recovery")
                .isEqualTo(exitSeen.toMillis());
        assertThat(service.notices(run)).hasSize(1);
    }

    @Test
    void a_restarted_daemon_reattaches_to_a_live_run_without_gaps_or_duplicates_in_its_output() throws IOException {
        var run = sh("i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo line $i; sleep 0.05; done");
        for (int i = 0; i < 4; i++) {
            int lines = 5 + i * 8;
            await().atMost(SOON)
                    .until(() ->
                            Files.readString(service.outputFile(run)).lines().count() >= lines);
            restart();
        }
        var expected = new StringBuilder();
        for (int i = 1; i <= 40; i++) expected.append("line ").append(i).append('\n');
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo(expected.toString());
        await().untilAsserted(
                        () -> assertThat(service.outputFile(run)).content().startsWith(expected + "\n---\ncompleted"));
        assertThat(service.events(run)).extracting(TimelineEvent::kind).contains("reattached");
    }

    @Test
    void a_restarted_daemon_carries_out_a_stop_requested_before_the_crash() {
        var run = sh("trap '' TERM; while :; do sleep 0.1; done");
        var agent = agent(run);
        service.close();
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.requestStop(run.id(), new StopReason.UserStop("operator"));
        }
        service = open();
        assertThat(awaitEnd(run).status()).isEqualTo(Status.CANCELED_BY_USER);
        assertGone(agent);
    }

    @Test
    void a_restart_removes_the_directory_of_an_unaccepted_run_and_starts_a_queued_row() throws IOException {
        service.close();
        var id = RunId.create(clock().now());
        var unaccepted = home.run(id);
        home.submissions().begin(id);
        unaccepted.create();
        var queued = row("echo", "started later");
        service = open();
        assertThat(unaccepted.path()).doesNotExist();
        assertThat(home.submissions().remaining()).isEmpty();
        assertThat(result(awaitEnd(show(queued)))).isEqualTo("started later\n");
    }

    @Tag("linux") // the same on other systems, but takes minutes there
    @Test
    void a_restarted_daemon_reattaches_to_four_hundred_live_runs() {
        var runs = new ArrayList<RunRecord>();
        for (int i = 0; i < 400; i++) runs.add(start("sleep", "1000"));
        runs.forEach(this::awaitBegun);
        restart();
        assertThat(runs).allMatch(run -> show(run).status() == Status.RUNNING);
        assertThat(service.liveCount()).isEqualTo(400);
    }

    @Test
    void a_ledger_restored_from_before_a_start_does_not_run_the_run_again() throws IOException {
        service.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        var copy = scratch.resolve("copy.db");
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.backUp(copy);
        }
        service = open();
        awaitEnd(show(run));
        service.close();
        Files.move(copy, home.ledger(), StandardCopyOption.REPLACE_EXISTING);

        service = open();

        assertThat(awaitEnd(show(run)).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(show(run))).isEqualTo("ran\n");
        assertThat(scratch.resolve("count")).hasContent("x\n");
        await().atMost(SOON)
                .untilAsserted(() ->
                        assertThat(service.outputFile(show(run))).content().startsWith("ran\n\n---\ncompleted"));
    }

    @Tag("linux") // slow, and independent of the kernel
    @Test
    void a_daemon_closed_while_runs_start_keeps_no_file_open() throws IOException {
        for (int i = 0; i < 20; i++) {
            for (int n = 0; n < 5; n++) sh("true");
            service.close();
            assertThat(openFiles()).noneMatch(file -> file.startsWith(home.runs()));
            service = open();
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
}
