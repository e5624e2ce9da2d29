package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Refusal;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.testing.AgentScriptFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.Test;

/** Each message to an agent is delivered once, even if the agent ends or is lost meanwhile. */
class MessageDeliveryProcessTest extends AgentScriptFixture {

    /** Records its prompt, and defines {@code hear}, which records each line of its input. */
    private static final String HEARS = """
            printf '%s\\n' "$prompt" >> "$SCRATCH/received"
            hear() { while read -r line; do printf '%s\\n' "$line" >> "$SCRATCH/received"; done; }
            init
            """;

    private long countReceived(String words) throws IOException {
        return Files.readAllLines(scratch.resolve("received")).stream()
                .filter(line -> line.contains(words))
                .count();
    }

    /** Posts a message without waking the attempt's loop. */
    private void post(RunRecord run, String kind, String question, String words) {
        ledger("""
                INSERT INTO message (run_id, attempt, kind, question_id, body, sender, created_at)
                VALUES ('%s', %d, '%s', %s, '%s', 'claude:parent', 1)
                """.formatted(run.id(), run.latest().n(), kind, question, words));
    }

    @Test
    void a_message_after_a_withdrawn_final_report_starts_another_turn() throws IOException {
        var run = agent(HEARS + """
                if [ -e "$SCRATCH/go" ]; then result 'the answer'; exit; fi
                result 'too early'
                say 'one more thing'
                until_there go
                result 'the end'
                """);
        await().atMost(SOON).until(() -> text(run).contains("one more thing"));
        service.send(show(run), "mind the gap", AS_PARENT); // its input ended with its first final report
        touch("go");
        await().atMost(SOON).until(() -> show(run).latest().n() == 2);
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(countReceived("mind the gap")).isEqualTo(1);
    }

    @Test
    void a_message_that_could_not_be_read_at_first_is_delivered_later() throws Exception {
        var run = agent(HEARS + "say listening; exec 3<&0; hear <&3 & until_there go; result done");
        await().atMost(SOON).until(() -> text(run).contains("listening"));
        ledger("""
                PRAGMA ignore_check_constraints = ON;
                INSERT INTO message (run_id, attempt, kind, body, sender, created_at)
                VALUES ('%s', 1, 'damaged', 'x', 'claude:parent', 1)
                """.formatted(run.id()));
        var failed = new CountDownLatch(1);
        var log = Logger.getLogger(AttemptLoop.class.getName());
        var handler = new StreamHandler() {
            @Override
            public void publish(LogRecord record) {
                failed.countDown();
            }
        };
        log.addHandler(handler);
        try {
            service.send(show(run), "mind the gap", AS_PARENT);
            assertThat(failed.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            log.removeHandler(handler);
        }

        ledger("DELETE FROM message WHERE kind = 'damaged'");
        service.sweep();

        await().atMost(SOON).until(() -> countReceived("mind the gap") == 1);
        touch("go");
        awaitEnd(run);
    }

    @Test
    void a_run_does_not_end_before_a_message_that_the_agent_has_queued_is_answered() throws IOException {
        var run = agent("""
                lifecycle() { printf '{"type":"command_lifecycle","command_uuid":"u1","state":"%s"}\\n' "$1"; }
                init
                read -r message
                lifecycle queued
                say 'the first answer'
                result 'the first answer'
                lifecycle started
                init
                sleep 3
                result 'the second answer'
                lifecycle completed
                """);
        awaitBegun(run);
        service.send(show(run), "one more thing", AS_PARENT);
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("the second answer");
    }

    @Test
    void an_agent_that_starts_another_turn_after_its_final_report_is_not_terminated() {
        var run = awaitEnd(agent("init; result 'the first answer'; init; sleep 3; result 'the second answer'"));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("the second answer");
    }

    @Test
    void concurrent_sweeps_deliver_a_late_message_once() throws Exception {
        var run = awaitEnd(agent(HEARS + "sleep 0.2; result done"));
        for (int i = 1; i <= 5; i++) {
            var ended = awaitEnd(run);
            post(ended, "words", "NULL", "mind the gap " + i);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int j = 0; j < 8; j++) threads.execute(service::sweep);
            }
            await().atMost(SOON)
                    .until(() -> show(run).latest().n() > ended.latest().n());
            awaitEnd(run);
            assertThat(countReceived("mind the gap " + i)).isEqualTo(1);
        }
        service.sweep();
        assertThat(awaitEnd(run).latest().n()).isEqualTo(6);
    }

    @Test
    void a_late_message_comes_before_the_message_that_continues_the_run() throws IOException {
        var run = awaitEnd(agent(HEARS + "result done"));
        post(run, "words", "NULL", "first this");
        try {
            service.send(show(run), "then that", AS_PARENT);
        } catch (Refusal sweepWasQuicker) {
            service.send(awaitEnd(run), "then that", AS_PARENT);
        }
        awaitEnd(run);
        assertThat(Files.readString(scratch.resolve("received"))).containsSubsequence("first this", "then that");
        service.sweep();
        awaitEnd(run);
        assertThat(countReceived("first this")).isEqualTo(1);
        assertThat(countReceived("then that")).isEqualTo(1);
    }

    @Test
    void an_undeliverable_late_message_does_not_block_other_runs() throws IOException {
        var broken = awaitEnd(agent("init; result done"));
        await().atMost(SOON) // the last lines are written just after the end
                .until(() -> Files.readString(service.outputFile(broken)).contains("completed"));
        home.run(broken.id()).delete(); // before the message, which any sweep may deliver
        post(broken, "words", "NULL", "nobody will hear this");
        service.sweep();
        var other = awaitEnd(agent(HEARS + "result done"));
        post(other, "words", "NULL", "but this");
        service.sweep();
        await().atMost(SOON).until(() -> show(other).latest().n() == 2);
        awaitEnd(other);
        assertThat(countReceived("but this")).isEqualTo(1);
    }

    @Test
    void the_next_attempt_gets_a_message_that_a_lost_attempt_did_not_get() throws IOException {
        var run = agent(HEARS + "say hello; hear; result done");
        await().atMost(SOON).until(() -> text(run).contains("hello"));
        post(show(run), "words", "NULL", "mind the gap");
        kill(perch(run));
        await().atMost(SOON).until(() -> show(run).latest().n() == 2);
        await().atMost(SOON).until(() -> countReceived("mind the gap") == 1);
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void the_next_attempt_gets_a_message_that_a_lost_attempt_may_not_have_read() throws IOException {
        var run = agent("""
                if [ "$ROOST_ATTEMPT" = 2 ]; then touch "$SCRATCH/deaf"; until_there never; fi
                init; printf '%s\\n' "$prompt" > "$SCRATCH/prompt-$ROOST_ATTEMPT"; result "turn $ROOST_TURN"
                """);
        awaitEnd(run);
        service.send(show(run), "mind the gap", AS_PARENT);
        await().atMost(SOON).until(() -> Files.exists(scratch.resolve("deaf")));
        kill(perch(run));
        await().atMost(SOON).until(() -> show(run).latest().n() == 3);
        assertThat(result(awaitEnd(run))).isEqualTo("turn 2");
        assertThat(scratch.resolve("prompt-3")).content().contains("mind the gap");
    }

    @Test
    void a_question_is_answered_once() throws IOException {
        var run = agent(
                "init; asks q1 'git push'; until_there go; read -r a; read -r b; echo \"$a$b\" > \"$SCRATCH/a\"; result x");
        awaitPhase(run, Phase.NEEDS_INPUT);
        post(show(run), "deny", "'q1'", "no");
        assertThatThrownBy(() -> service.send(show(run), "allow", AS_OPERATOR))
                .isInstanceOfSatisfying(
                        Refusal.class, error -> assertThat(error.code()).isEqualTo("question_answered"));
    }

    @Test
    void the_notice_of_a_question_disappears_with_the_question() throws IOException {
        var run = agent("init; asks q1 'git push'; read -r answer; say thanks; asks q2 'rm -r /'; read -r answer");
        awaitPhase(run, Phase.NEEDS_INPUT);
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR)).hasSize(1);
        service.send(show(run), "allow", AS_OPERATOR);
        await().atMost(SOON).until(() -> text(run).contains("rm -r /"));
        awaitPhase(run, Phase.NEEDS_INPUT);
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR))
                .as("only the notice of the open question")
                .hasSize(1);
        kill(perch(run));
        await().atMost(SOON).until(() -> show(run).latest().n() == 2);
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR))
                .as("the question of the lost attempt is closed")
                .noneMatch(notice -> notice.ofRun().orElseThrow().attempt().n() == 1);
    }
}
