package dev.roost.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.chaos.Violation.Count;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The checker reports each broken promise under its number, and nothing else. */
class PromiseCheckerTest {

    private static final ExactProcess AGENT = new ExactProcess(4711, 99);
    private static final String DONE = "completed, finished, 06:00";
    private static final AgentLog FINISHED = new AgentLog(List.of(AGENT), List.of(), OptionalInt.of(0), false);

    private final PromiseChecker checker = new PromiseChecker();

    private static RunObservation.RunDetails closer(AgentLog agentLog, boolean harmed, Integer... notices) {
        return new RunObservation.RunDetails(
                List.of(notices), Map.of("show", "completed"), agentLog, harmed, List.of(), true);
    }

    private static RunObservation.ObservedRun ended(String end, RunObservation.RunDetails closer) {
        return new RunObservation.ObservedRun("r_1", end.split(",", -1)[0], 1, end, false, Optional.of(closer));
    }

    private static RunObservation.ObservedRun running(boolean alive) {
        return new RunObservation.ObservedRun("r_1", "running", 1, "", alive, Optional.empty());
    }

    private boolean observe(double at, RunObservation.ObservedRun... runs) {
        return checker.check(new RunObservation(at, 0, List.of(runs)));
    }

    private void assertReported(int promise, Count count) {
        assertThat(checker.violations()).singleElement().satisfies(one -> {
            assertThat(one.promise()).isEqualTo(promise);
            assertThat(one.count()).isEqualTo(count);
            assertThat(one.runId()).isEqualTo("r_1");
        });
    }

    @Test
    void a_completed_run_with_one_notice_is_no_violation() {
        checker.accepted("r_1", 0.5);
        assertThat(observe(1, running(true))).isTrue();
        assertThat(observe(2, ended(DONE, closer(FINISHED, false, 1)))).isTrue();
        assertThat(observe(20, ended(DONE, closer(FINISHED, false, 1)))).isTrue();
        assertThat(checker.violations()).isEmpty();
    }

    @Test
    void an_accepted_run_that_does_not_exist_is_lost() {
        checker.accepted("r_1", 0.5);
        observe(0.4); // a list from before it was accepted
        assertThat(checker.violations()).isEmpty();
        observe(1);
        assertReported(1, Count.LOST);
    }

    @Test
    void an_end_that_changed_is_a_lie() {
        observe(1, ended(DONE, closer(FINISHED, true, 1)));
        observe(2, ended("completed, finished, 06:01", closer(FINISHED, true, 1)));
        assertReported(3, Count.LIES);
    }

    @Test
    void an_ended_run_that_runs_again_is_a_lie() {
        observe(1, ended(DONE, closer(FINISHED, true, 1)));
        observe(2, running(true));
        assertReported(3, Count.LIES);
    }

    @Test
    void an_end_without_a_notice_is_lost() {
        observe(1, ended(DONE, closer(FINISHED, false)));
        assertReported(4, Count.LOST);
    }

    @Test
    void an_end_with_two_notices_is_doubled() {
        observe(1, ended(DONE, closer(FINISHED, false, 1, 1)));
        assertReported(4, Count.DOUBLED);
    }

    @Test
    void a_notice_without_an_end_is_a_lie() {
        var early = closer(FINISHED, false, 1);
        observe(1, new RunObservation.ObservedRun("r_1", "running", 1, "", true, Optional.of(early)));
        assertReported(4, Count.LIES);
    }

    @Test
    void an_agent_that_ran_twice_is_doubled() {
        var twice = new AgentLog(List.of(AGENT, new ExactProcess(4712, 100)), List.of(), OptionalInt.of(0), false);
        observe(1, ended(DONE, closer(twice, false, 1)));
        assertReported(3, Count.DOUBLED);
    }

    @Test
    void running_without_a_process_is_a_lie_only_after_five_seconds() {
        assertThat(observe(1, running(false))).as("it is checked again").isFalse();
        assertThat(observe(5.9, running(false))).isFalse();
        assertThat(checker.violations()).isEmpty();
        observe(6.1, running(false));
        assertReported(7, Count.LIES);
    }

    @Test
    void the_five_seconds_restart_with_the_daemon() {
        checker.check(new RunObservation(1, 0, List.of(running(false))));
        checker.check(new RunObservation(8, 7.5, List.of(running(false))));
        assertThat(checker.violations()).isEmpty();
        checker.check(new RunObservation(9, 7.5, List.of(running(true))));
        checker.check(new RunObservation(13, 7.5, List.of(running(false))));
        assertThat(checker.violations()).isEmpty();
    }

    @Test
    void completed_without_an_end_of_the_agent_is_a_lie() {
        var cut = new AgentLog(List.of(AGENT), List.of(), OptionalInt.empty(), false);
        observe(1, ended(DONE, closer(cut, true, 1)));
        assertReported(5, Count.LIES);
    }

    @Test
    void completed_after_an_exit_with_3_is_a_lie() {
        var failed = new AgentLog(List.of(AGENT), List.of(), OptionalInt.of(3), false);
        observe(1, ended(DONE, closer(failed, true, 1)));
        assertReported(5, Count.LIES);
    }

    @Test
    void an_undisturbed_run_reported_as_abandoned_is_lost() {
        var closer = new RunObservation.RunDetails(List.of(1), Map.of(), FINISHED, false, List.of(), true);
        observe(1, ended("abandoned, perch_lost, 06:00", closer));
        assertReported(5, Count.LOST);
    }

    @Test
    void a_process_that_outlives_its_run_is_an_orphan_after_five_seconds() {
        var left = new RunObservation.RunDetails(List.of(1), Map.of(), FINISHED, false, List.of(AGENT), true);
        assertThat(observe(1, ended(DONE, left))).isFalse();
        observe(6.1, ended(DONE, left));
        assertReported(8, Count.ORPHANS);
    }

    @Test
    void surfaces_that_keep_disagreeing_are_a_lie() {
        var torn = new RunObservation.RunDetails(
                List.of(1), Map.of("output.md", "running"), FINISHED, false, List.of(), true);
        assertThat(observe(1, ended(DONE, torn))).isFalse();
        observe(6.1, ended(DONE, torn));
        assertReported(2, Count.LIES);
    }

    @Test
    void work_that_is_not_kept_is_lost() {
        var gone = new RunObservation.RunDetails(List.of(1), Map.of(), FINISHED, false, List.of(), false);
        observe(1, ended(DONE, gone));
        observe(6.1, ended(DONE, gone));
        assertReported(9, Count.LOST);
    }
}
