package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.output.OutputPage;
import dev.roost.testing.AgentScriptFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The promises of an agent run, with shell scripts that use Claude Code's protocol; conformance/ tests the real agents. */
class AgentConversationProcessTest extends AgentScriptFixture {

    @Test
    void an_agent_that_reports_success_is_completed_with_its_answer_as_the_result() throws IOException {
        var run = awaitEnd(agent("init; tool t1 'make test'; say thinking; result 'it is done'"));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("it is done");
        assertThat(run.sessionId()).contains("conversation-1");
        assertThat(run.latest().usage().input()).isEqualTo(100);
        await().atMost(SOON)
                .until(() -> text(run).contains("completed")); // the last line is written just after the end
        assertThat(text(run)).contains("→ Bash: make test\n", "thinking\n").doesNotContain("{");
        assertThat(Files.readAllLines(home.run(run.id()).transcript()))
                .anyMatch(line -> line.contains("\"type\":\"tool_started\""))
                .allMatch(line -> line.startsWith("{") && line.endsWith("}"));
    }

    @Test
    void exit_0_without_a_final_report_is_not_a_success() {
        var run = awaitEnd(agent("init; say 'half a thought'"));
        assertThat(run.status()).isEqualTo(Status.FAILED);
        assertThat(run.latest().cause()).contains(Cause.CUT_SHORT);
    }

    @Test
    void an_agent_that_lingers_after_its_final_report_is_finishing_and_ends_as_reported() {
        var run = agent("init; result 'the answer'; trap '' TERM; while :; do sleep 1; done");
        awaitPhase(run, Phase.FINISHING);
        assertThat(result(run)).as("readable already").isEqualTo("the answer");
        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("the answer");
    }

    @Test
    void output_after_the_final_report_withdraws_the_report() throws IOException {
        var run = agent("init; result 'too early'; say 'one more thing'; until_there go; result 'the end'");
        await().atMost(SOON).until(() -> text(run).contains("one more thing"));
        time.pass(Duration.ofMinutes(1));
        service.sweep();
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
        touch("go");
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("the end");
    }

    @Test
    void a_question_is_noticed_once_answered_by_a_person_and_its_wait_does_not_count_as_active_time()
            throws IOException {
        var run = agent(
                "init; asks q1 'git push'; read -r answer; echo \"$answer\" > \"$SCRATCH/answer\"; result done",
                Budget.ofOutput(1 << 30).withMaxTime(Optional.of(Duration.ofMinutes(5))));
        var asks = awaitPhase(run, Phase.NEEDS_INPUT);
        assertThat(asks.latest().asked().orElseThrow().question().text()).isEqualTo("Bash: git push");
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR))
                .singleElement()
                .satisfies(notice -> assertThat(notice.kind()).isEqualTo("needs_input"));
        time.pass(Duration.ofMinutes(30));
        restart();
        service.sweep();
        assertThat(show(run).latest().phase()).contains(Phase.NEEDS_INPUT);

        assertThatThrownBy(() -> service.send(show(run), "allow", AS_PARENT)).isInstanceOf(Refusal.class);
        assertThatThrownBy(() -> service.send(show(run), "perhaps", AS_OPERATOR))
                .isInstanceOf(BadInput.class);
        service.send(show(run), "allow", AS_OPERATOR);
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(Files.readString(scratch.resolve("answer"))).contains("\"behavior\":\"allow\"", "git push");
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR))
                .singleElement()
                .satisfies(notice -> assertThat(notice.kind()).isEqualTo("ended"));
    }

    @Test
    void a_parent_may_deny_and_an_unanswered_question_is_denied_after_the_timeout() throws IOException {
        var denied =
                agent("init; asks q1 'rm -r /'; read -r answer; echo \"$answer\" > \"$SCRATCH/answer\"; result no");
        awaitPhase(denied, Phase.NEEDS_INPUT);
        service.send(show(denied), "deny surely not", AS_PARENT);
        awaitEnd(denied);
        assertThat(Files.readString(scratch.resolve("answer"))).contains("\"behavior\":\"deny\"", "surely not");

        var late = agent("init; asks q1 'rm -r /'; read -r answer; echo \"$answer\" > \"$SCRATCH/late\"; result no");
        awaitPhase(late, Phase.NEEDS_INPUT);
        time.pass(Duration.ofMinutes(59));
        service.sweep();
        assertThat(show(late).latest().phase()).contains(Phase.NEEDS_INPUT);
        time.pass(Duration.ofMinutes(2));
        service.sweep();
        awaitEnd(late);
        assertThat(Files.readString(scratch.resolve("late"))).contains("\"behavior\":\"deny\"", "Nobody answered");
    }

    @Tag("portable")
    @Test
    void every_message_arrives_complete_in_order_and_once_across_daemon_restarts() throws IOException {
        var long_ = "x".repeat(200_000);
        var run = agent("""
                init
                while read -r line; do
                    echo "$line" >> "$SCRATCH/heard"
                    case $line in *enough*) break ;; esac
                done
                result done
                """);
        awaitBegun(run);
        for (int i = 0; i < 5; i++) {
            service.send(show(run), "message %d %s".formatted(i, long_), AS_PARENT);
            if (i % 2 == 0) restart();
        }
        service.send(show(run), "enough", AS_PARENT);
        restart();
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        var heard = Files.readAllLines(scratch.resolve("heard"));
        assertThat(heard).hasSize(6);
        for (int i = 0; i < 5; i++) assertThat(heard.get(i)).contains("message " + i, long_);
    }

    @Test
    void a_lost_run_resumes_its_conversation_with_the_tools_in_flight_and_is_abandoned_after_three_attempts()
            throws IOException {
        var run = agent("printf '%s\\n' \"$prompt\" >> \"$SCRATCH/prompts\"; init; tool t1 'git push'; sleep 1000");
        for (int n = 1; n <= 3; n++) {
            int attempt = n;
            await().atMost(SOON)
                    .until(() -> show(run).latest().n() == attempt
                            && show(run).latest().began().isPresent()
                            && text(run).split("→ Bash: git push", -1).length == attempt + 1);
            var perch = perch(run);
            var agent = agent(run);
            kill(perch);
            kill(agent);
        }
        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.ABANDONED);
        assertThat(ended.latest().n()).isEqualTo(3);
        var prompts = Files.readAllLines(scratch.resolve("prompts"));
        assertThat(prompts).hasSize(3);
        assertThat(prompts.get(1)).contains("You were interrupted", "outcome unknown", "Bash: git push");
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR)).hasSize(1);
    }

    @Test
    void a_run_killed_for_lack_of_memory_has_that_cause_and_resumes() throws IOException {
        var group = Path.of(
                "/sys/fs/cgroup/memory/roost-test-" + ProcessHandle.current().pid());
        Files.createDirectory(group);
        Files.writeString(group.resolve("memory.limit_in_bytes"), "33554432\n");
        try {
            var run = awaitEnd(agent("""
                    init; say working
                    if [ -e "$SCRATCH/second" ]; then result 'in a smaller way'; exit; fi
                    touch "$SCRATCH/second"
                    echo $$ > GROUP/cgroup.procs
                    exec tail /dev/zero
                    """.replace("GROUP", group.toString())));
            assertThat(run.status()).isEqualTo(Status.COMPLETED);
            assertThat(service.attempts(run).getFirst().cause()).contains(Cause.OUT_OF_MEMORY);
        } finally {
            await().atMost(SOON)
                    .until(() -> Files.readString(group.resolve("cgroup.procs")).isEmpty());
            Files.delete(group);
        }
    }

    @Test
    void a_message_to_an_ended_run_starts_a_turn_with_its_own_budget_and_notice() throws IOException {
        var run = awaitEnd(agent(
                "init; say one; say two; result \"$(echo \"$prompt\" | tr -dc a-z)\"",
                budget(Optional.of(300L), Optional.empty(), Optional.empty())));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        service.markRead(run, 1, AS_PARENT);
        service.send(run, "and now this", AS_PARENT);
        var second = awaitEnd(run);
        assertThat(second.status()).isEqualTo(Status.COMPLETED);
        assertThat(second.latest().n()).isEqualTo(2);
        assertThat(result(run)).contains("andnowthis");
        assertThat(service.output(
                                second,
                                new OutputPage.Request(Optional.of(1), 0, OutputPage.WaitMode.NOW, Duration.ZERO))
                        .result())
                .as("the earlier result stays")
                .hasValueSatisfying(text -> assertThat(text).contains("doit"));
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR)).hasSize(1);
        // output.md has both ends, the second just after its commit
        await().atMost(SOON).until(() -> text(second).split("completed", -1).length == 3);
    }

    @Test
    void a_message_that_arrives_during_the_final_report_starts_another_turn() throws IOException {
        var run = agent("""
                init
                if [ -e "$SCRATCH/second" ]; then result "$(echo "$prompt" | tr -dc a-z)"; exit; fi
                touch "$SCRATCH/second"
                result 'too soon'
                until_there go
                """);
        await().atMost(SOON)
                .until(() -> show(run).latest().phase().equals(Optional.of(Phase.FINISHING))
                        || show(run).status().ended());
        awaitEnd(run);
        // simulates a message that was accepted a moment earlier but never delivered
        ledger("""
                INSERT INTO message (run_id, attempt, kind, body, sender, created_at)
                VALUES ('%s', 1, 'words', 'but mind the gap', 'claude:parent', 1)
                """.formatted(run.id()));
        service.sweep();
        await().atMost(SOON).until(() -> show(run).latest().n() == 2);
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).contains("mindthegap");
        service.sweep();
        assertThat(show(run).latest().n()).as("delivered once").isEqualTo(2);
    }

    @Test
    void a_message_to_an_agent_that_cannot_be_steered_is_refused() {
        var run = awaitBegun(start("sleep", "1000"));
        assertThatThrownBy(() -> service.send(show(run), "hello", AS_PARENT))
                .isInstanceOfSatisfying(
                        Refusal.class, error -> assertThat(error.code()).isEqualTo("cannot_steer"));
        service.stop(show(run), AS_PARENT);
        assertThatThrownBy(() -> service.send(show(run), "hello", AS_PARENT))
                .isInstanceOfSatisfying(
                        Refusal.class, error -> assertThat(error.code()).isEqualTo("cannot_continue"));
    }
}
