package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Refusal;
import dev.roost.config.DailyBudget;
import dev.roost.home.Home;
import dev.roost.model.Budget;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.testing.AgentScriptFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attempts whose files are removed, whose disk is full, or that are stopped at a bad moment. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttemptFailureProcessTest extends AgentScriptFixture {

    private static final String LIMITED = "init; say hello; until_there go; limited '\"?\"' | tail -1; exit 1";

    @Test
    void a_run_whose_files_were_removed_still_ends() throws IOException {
        var run = agent("init; say hello; sleep 1000");
        await().atMost(SOON).until(() -> text(run).contains("hello"));
        var perch = perch(run);
        var agent = agent(run);
        service.close();
        home.run(run.id()).delete();
        kill(perch);
        kill(agent);
        service = open();
        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.ABANDONED);
        assertThat(service.stop(ended, AS_PARENT).status()).isEqualTo(Status.ABANDONED);
    }

    @Test
    void a_supervised_run_whose_files_were_removed_still_ends() throws IOException {
        var run = agent("init; say hello; sleep 1000");
        await().atMost(SOON).until(() -> text(run).contains("hello"));
        var perch = perch(run);
        home.run(run.id()).delete();
        kill(perch);
        assertThat(awaitEnd(run).status()).isEqualTo(Status.ABANDONED);
    }

    @Test
    void a_run_stopped_between_two_attempts_gets_its_last_lines_and_can_be_continued() throws IOException {
        var run = agent(LIMITED);
        var seen = awaitBegun(run);
        touch("go");
        awaitPhase(run, Phase.PARKED);
        assertThat(service.stop(seen, AS_PARENT).status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(text(run)).contains("canceled_by_user");
        assertThat(service.send(show(run), "go on", AS_PARENT).latest().n()).isEqualTo(3);
    }

    @Test
    void a_stop_during_the_preparation_of_the_next_attempt_is_recorded() throws IOException {
        var run = agent("init; say hello; sleep 1000");
        await().atMost(SOON).until(() -> text(run).contains("hello"));
        // simulates a stop at this moment: it is in the ledger, but the attempt's loop does not know it
        ledger(
                "UPDATE attempt SET phase = 'stopping', stop_cause = 'stopped', stop_by = 'claude:parent' WHERE run_id = '%s'"
                        .formatted(run.id()));
        kill(perch(run));
        assertThat(awaitEnd(run).status()).isEqualTo(Status.CANCELED_BY_USER);
        await().atMost(SOON).until(() -> text(run).contains("canceled_by_user"));
        assertThat(service.send(show(run), "go on", AS_PARENT).latest().n()).isEqualTo(2);
    }

    @Test
    void last_lines_that_could_not_be_written_are_written_later() throws IOException {
        var run = awaitEnd(agent("init; result done"));
        restart(); // the restart writes them
        ledger("UPDATE attempt SET output_sealed = 0 WHERE run_id = '%s'".formatted(run.id()));
        assertThat(service.send(show(run), "go on", AS_PARENT).latest().n()).isEqualTo(2);
        awaitEnd(run);
        await().atMost(SOON).until(() -> text(run).split("completed", -1).length == 3);
    }

    @Test
    void a_full_disk_loses_no_agent_output() throws Exception {
        var disk = Files.createDirectory(scratch.resolve("disk"));
        Assumptions.assumeTrue(command("mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", disk.toString()));
        try {
            service.close();
            home = Home.open(disk.resolve("home"));
            service = open();
            var run = agent(
                    "init; say hello; until_there go; say \"$(head -c 20000 /dev/zero | tr '\\0' x)\"; result done");
            await().atMost(SOON).until(() -> text(run).contains("hello"));
            var out = home.run(run.id()).attempt(1).out();
            assertThat(command("fallocate", "-n", "-l", "1M", out.toString()))
                    .isTrue(); // the agent's file has space left, the daemon's files have not
            command("dd", "if=/dev/zero", "of=" + disk.resolve("filler"), "bs=64k");
            command("dd", "if=/dev/zero", "of=" + disk.resolve("filler2"), "bs=1k");
            touch("go");
            await().atMost(SOON).until(() -> Files.size(out) > 20_000);
            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
            Files.delete(disk.resolve("filler"));
            assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
            assertThat(text(run)).contains("x".repeat(20_000) + "\n");
            assertThat(Files.readAllLines(home.run(run.id()).transcript()))
                    .allMatch(line -> line.startsWith("{") && line.endsWith("}"))
                    .anyMatch(line -> line.contains("\"text\":\"" + "x".repeat(20_000) + "\""));
        } finally {
            nothingIsLeft();
            command("umount", "-l", disk.toString());
            home = Home.open(scratch.resolve("home"));
            service = open();
        }
    }

    private static boolean command(String... words) throws Exception {
        return new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    @Test
    void an_owner_over_its_daily_budget_cannot_continue_a_run() {
        day = new DailyBudget(Optional.of(100L), Optional.empty());
        var run = awaitEnd(agent("init; result done"));
        assertThatThrownBy(() -> service.send(run, "go on", AS_PARENT))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("today");
        assertThat(show(run).latest().n()).isEqualTo(1);
    }

    @Test
    void a_run_that_finished_before_its_usage_was_known_stays_completed() {
        var budget = new Budget(
                Optional.empty(), Optional.of(50L), Optional.empty(), Optional.empty(), Budget.DEFAULT_MAX_OUTPUT);
        var run = awaitEnd(agent("init; result done; sleep 0.5", budget));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(run.latest().usage().tokens()).isEqualTo(120);
    }
}
