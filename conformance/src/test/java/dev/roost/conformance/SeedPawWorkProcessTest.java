package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.SharedOwnerSessionFixture;
import dev.roost.conformance.testing.SingleAgentFixture;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import dev.roost.model.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The requirements of seeds/002, one by one, with a real Claude Code; asserted by the requests to its model. */
class SeedPawWorkProcessTest extends SharedOwnerSessionFixture {

    /** Ends after {@link #go}. */
    private static String until(String word) {
        return "until [ -e %s ]; do sleep 0.05; done; echo %s".formatted(word, word.toUpperCase(java.util.Locale.ROOT));
    }

    private RunRecord run(String name) {
        return stage.runs(session).stream()
                .filter(run -> run.name().equals(Optional.of(name)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(stage.asked()));
    }

    private static List<String> names(JsonNode list) {
        return StreamSupport.stream(list.path("runs").spliterator(), false)
                .map(run -> "%s %s%s"
                        .formatted(
                                run.path("name").asString(),
                                run.path("status").asString(),
                                run.path("unread").asBoolean() ? " (unread)" : ""))
                .toList();
    }

    @Test
    void a_background_agent_returns_a_clear_running_result_without_blocking_the_parent() throws Exception {
        stage.turn(session, false, "MARK-1 SCRIPT=" + stage.background("plum", until("plum")) + "|it is begun");

        var run = run("plum");
        assertThat(run.status()).as("the turn has ended, the run has not").isEqualTo(Status.RUNNING);
        var answer = stage.answers("MARK-1").getFirst();
        assertThat(answer.path("status").asString()).as(answer.toString()).isEqualTo("running");
        assertThat(answer.path("run_id").asString()).isEqualTo(run.id().text());
        assertThat(Path.of(answer.path("output_file").asString())).exists();
        assertThat(answer.path("message").asString())
                .contains("running in the background", "You will be told", "agent_output {\"run_id\": \"" + run.id());
        go("plum");
    }

    @Test
    void foreground_behaviour_remains_the_default() throws Exception {
        var prompt = "MARK-CHILD SCRIPT=bash?cmd=sleep%201|a ripe fig";
        stage.turn(
                session,
                false,
                "MARK-2 SCRIPT=" + stage.call("agent", "description=fig", "prompt=" + prompt) + "|I have it");

        var answer = stage.answers("MARK-2").getFirst();
        assertThat(answer.path("status").asString()).as(answer.toString()).isEqualTo("completed");
        assertThat(answer.path("result").asString()).isEqualTo("a ripe fig");
        var run = stage.runs(session).getFirst();
        assertThat(run.driver()).isEqualTo("claude");
        assertThat(run.latest().unread())
                .as("a foreground answer counts as reading")
                .isFalse();
        assertThat(stage.service().notices(run))
                .allSatisfy(notice -> assertThat(notice.ackedAt()).isPresent());
    }

    @Test
    void the_list_has_running_and_unread_runs_and_reading_consumes_ended_ones_only() throws Exception {
        stage.turn(
                session,
                false,
                "MARK-3 SCRIPT=" + stage.background("pear", "echo PEAR") + "|"
                        + stage.background("quince", until("quince")) + "|both are begun");
        stage.awaitEnds(1, session);
        var list = stage.call("agent_list");
        var pear = stage.call("agent_output", "run_id=pear");
        var quince = stage.call("agent_output", "run_id=quince");

        stage.turn(session, true, "MARK-4 SCRIPT=" + String.join("|", list, quince, pear, pear, list) + "|one is read");
        var while1 = stage.answers("MARK-4");
        assertThat(names(while1.get(0))).containsExactly("quince running", "pear completed (unread)");
        assertThat(while1.get(1).path("status").asString()).isEqualTo("running");
        assertThat(while1.get(2).path("result").asString()).isEqualTo("PEAR\n");
        assertThat(while1.get(3).path("result").asString())
                .as("a consumed result stays readable")
                .isEqualTo("PEAR\n");
        assertThat(names(while1.get(4))).containsExactly("quince running");

        go("quince");
        stage.awaitEnds(2, session);
        stage.turn(session, true, "MARK-5 SCRIPT=" + String.join("|", list, quince, list) + "|all are read");
        var after = stage.answers("MARK-5");
        assertThat(names(after.get(0)))
                .as("reading a live run consumes nothing")
                .containsExactly("quince completed (unread)");
        assertThat(after.get(1).path("result").asString()).isEqualTo("QUINCE\n");
        assertThat(names(after.get(2))).isEmpty();
    }

    @Test
    void completion_failure_cancellation_and_empty_output_are_reported_to_the_owner() throws Exception {
        stage.turn(
                session,
                false,
                "MARK-6 SCRIPT="
                        + String.join(
                                "|",
                                stage.background("good", until("four")),
                                stage.background("bad", until("four") + "; exit 3"),
                                stage.background("empty", until("four") + " > /dev/null"),
                                stage.background("long", "sleep 1000"))
                        + "|four are begun");
        stage.service().stop(run("long"), SingleAgentFixture.PERSON);
        go("four");
        stage.awaitEnds(4, session);

        stage.turn(session, true, "MARK-7 SCRIPT=I am told");
        assertThat(stage.askedAbout("MARK-7").getFirst().text())
                .contains("4 background runs ended")
                .containsPattern("\"good\" \\(r_\\w+\\) completed after")
                .containsPattern("\"bad\" \\(r_\\w+\\) failed: .*3")
                .containsPattern("\"empty\" \\(r_\\w+\\) completed_empty")
                .containsPattern("\"long\" \\(r_\\w+\\) canceled_by_user");
    }

    @Test
    void an_end_during_the_owners_last_answer_is_reported_once_before_it_stops() throws Exception {
        var parent = stage.begin(
                session,
                false,
                "MARK-13 SCRIPT=" + stage.background("soon", until("soon")) + "|text?t=that%20is%20all&ms=2000");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> stage.askedAbout("MARK-13").size() == 2); // now it is about to answer
        go("soon");
        assertThat(parent.waitFor()).isZero();
        var last = stage.askedAbout("MARK-13").getLast();
        assertThat(last.text()).contains("Stop hook additional context", "\"soon\"", "completed after");
        assertThat(last.count("<roost-notice id=")).as(last.text()).isEqualTo(1);
    }

    @Test
    void stop_reaches_only_runs_of_the_current_parent_session_and_has_the_same_vocabulary() throws Exception {
        stage.turn(session, false, "MARK-8 SCRIPT=" + stage.background("mine", "sleep 1000") + "|it is begun");
        var run = run("mine");
        var nobodys = "r_000000000000";

        stage.turn(
                OwnerSessionFixture.newSession(),
                false,
                "MARK-9 SCRIPT="
                        + String.join(
                                "|",
                                stage.call("agent_stop", "run_id=" + run.id()),
                                stage.call("agent_stop", "run_id=" + nobodys),
                                stage.call("agent_output", "run_id=" + run.id()),
                                stage.call("agent_stop", "run_id=mine"),
                                stage.call("agent_list"))
                        + "|it is not mine");
        var strange = stage.answers("MARK-9").stream().map(JsonNode::toString).toList();
        assertThat(strange.get(0)).contains("There is no run");
        assertThat(strange.get(0).replace(run.id().text(), nobodys)).isEqualTo(strange.get(1));
        assertThat(strange.get(2)).isEqualTo(strange.get(0));
        assertThat(strange.get(3)).contains("There is no run");
        assertThat(strange.get(4)).doesNotContain(run.id().text());
        assertThat(run("mine").status()).isEqualTo(Status.RUNNING);

        stage.turn(
                session,
                true,
                "MARK-10 SCRIPT=" + stage.call("agent_stop", "run_id=mine") + "|"
                        + stage.call("agent_stop", "run_id=mine") + "|it is stopped");
        for (var answer : stage.answers("MARK-10")) {
            assertThat(answer.path("status").asString()).isEqualTo("canceled_by_user");
            assertThat(answer.path("cause").asString()).isEqualTo("stopped");
        }
    }

    @Test
    void a_restart_leaves_no_row_that_stays_live_forever() throws Exception {
        stage.turn(session, false, "MARK-11 SCRIPT=" + stage.background("lost", "sleep 1000") + "|it is begun");
        await().until(() -> run("lost").latest().began().isPresent());
        var startedProcesses = run("lost").latest().began().orElseThrow();

        stage.reopen(() -> {
            for (var process : List.of(startedProcesses.perch(), startedProcesses.agent()))
                ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
        });

        await().atMost(Duration.ofSeconds(5)).until(() -> run("lost").status().ended());
        assertThat(run("lost").status()).isEqualTo(Status.ABANDONED);
        assertThat(run("lost").latest().cause()).hasValue(Cause.PERCH_LOST);
        stage.turn(session, true, "MARK-12 SCRIPT=" + stage.call("agent_output", "run_id=lost") + "|I am told");
        assertThat(stage.askedAbout("MARK-12").getFirst().text()).containsPattern("\"lost\" \\(r_\\w+\\) abandoned: ");
        assertThat(stage.answers("MARK-12").getFirst().path("status").asString())
                .isEqualTo("abandoned");
    }
}
