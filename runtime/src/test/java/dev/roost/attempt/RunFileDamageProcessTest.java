package dev.roost.attempt;

import static java.nio.file.attribute.PosixFilePermission.OWNER_READ;
import static java.nio.file.attribute.PosixFilePermission.OWNER_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.attempt.testing.QueuedRunFixture;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import dev.roost.model.Status;
import dev.roost.service.PruneRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run ends even if a crash, a failing disk, an agent or a person has damaged its files. */
@Tag("portable")
class RunFileDamageProcessTest extends QueuedRunFixture {

    @Test
    void a_started_run_without_a_ledger_row_is_not_deleted() throws IOException {
        var run = awaitEnd(sh("echo precious"));
        service.close();
        Files.move(home.ledger(), scratch.resolve("moved-away.db"));
        Files.deleteIfExists(Path.of(home.ledger() + "-wal"));
        Files.createDirectory(home.runs().resolve("r_x"));
        service = open();
        assertThat(home.run(run.id()).attempt(1).result()).hasContent("precious");
        assertThat(home.runs().resolve("r_x")).exists();
    }

    @Test
    void empty_record_files_count_as_missing() throws IOException {
        var run = sh("sleep 1000");
        var perch = perch(run);
        var agent = agent(run);
        service.close();
        Files.write(home.run(run.id()).attempt(1).path().resolve("start"), new byte[0]);
        Files.write(home.run(run.id()).attempt(1).path().resolve("exit"), new byte[0]);
        kill(perch);
        kill(agent);
        service = open();
        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
    }

    @Test
    void file_modes_that_an_agent_removed_are_restored() throws Exception {
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
    void a_run_with_unreadable_directories_can_be_pruned() throws Exception {
        var run = awaitEnd(sh("d=${ROOST_RESULT_FILE%/*}/x; mkdir -p $d/y; ln -s / $d/link; chmod 000 $d/y $d"));
        service.maintenance().prune(new PruneRequest(Duration.ZERO, OptionalLong.empty(), true, false, false, false));
        assertThat(home.run(run.id()).path()).doesNotExist();
        assertThat(Path.of("/etc/passwd")).exists();
    }

    @Test
    void a_run_whose_files_cannot_be_removed_is_reported_and_others_are_still_pruned() throws Exception {
        var deep = "cd ${ROOST_RESULT_FILE%/*}; n=$(printf %0200d 0); mkdir -p "
                + "$n/".repeat(21); // the path is too long to open
        var stuck = awaitEnd(sh(deep));
        var plain = awaitEnd(sh("true"));
        try {
            var all = new PruneRequest(Duration.ZERO.minusHours(1), OptionalLong.empty(), true, false, false, false);
            var pruned = service.maintenance().prune(all);

            assertThat(pruned.runs()).extracting(RunRecord::id).containsExactly(plain.id());
            assertThat(pruned.left()).singleElement().satisfies(left -> {
                assertThat(left.run().id()).isEqualTo(stuck.id());
                assertThat(left.why())
                        .contains(
                                "cannot be removed", home.run(stuck.id()).path().toString());
            });
            assertThat(show(stuck).status()).isEqualTo(Status.COMPLETED_EMPTY);
        } finally {
            new ProcessBuilder("rm", "-rf", home.run(stuck.id()).path().toString())
                    .start()
                    .waitFor();
        }
    }

    /** A run with damaged files is recorded as lost, with one notice. */
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
    void a_run_with_damaged_files_still_ends(String damage) throws Exception {
        var run = sh("echo working; sleep 1000");
        var perch = perch(run);
        var agent = agent(run);
        service.close();
        kill(perch);
        kill(agent);
        var directory = home.run(run.id()).attempt(1).path();
        assertThat(new ProcessBuilder("sh", "-c", damage)
                        .directory(directory.toFile())
                        .start()
                        .waitFor())
                .isZero();
        service = open();
        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(service.notices(run)).hasSize(1);
        assertThat(home.runs()).isDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"echo garbage > spec.json", "echo '{}' > spec.json", "rm spec.json", "rm -r ${PWD%/*}"})
    void a_queued_run_whose_files_are_damaged_fails_and_frees_its_slot(String damage) throws Exception {
        service.close();
        var run = row("echo", "ran");
        claim();
        var directory = home.run(run).attempt(1).path();
        new ProcessBuilder("sh", "-c", damage)
                .directory(directory.toFile())
                .start()
                .waitFor();
        service = open();
        var ended = awaitEnd(show(run));
        assertThat(ended.status()).isEqualTo(Status.FAILED);
        assertThat(ended.latest().cause()).contains(Cause.SPAWN_FAILED);
    }
}
