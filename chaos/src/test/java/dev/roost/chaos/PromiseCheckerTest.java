package dev.roost.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.chaos.Violation.Count;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The judge convicts whoever breaks a promise, under the right number, and nobody else. */
class PromiseCheckerTest {

    private static final ExactProcess AGENT = new ExactProcess(4711, 99);
    private static final String DONE = "completed, finished, 06:00";
    private static final AgentLog FINISHED = new AgentLog(List.of(AGENT), List.of(), OptionalInt.of(0), false);

    private final PromiseChecker checker = new PromiseChecker();

    private static Observation.RunDetails closer(AgentLog agentLog, boolean harmed, Integer... notices) {
        return new Observation.RunDetails(
                List.of(notices), Map.of("show", "completed"), agentLog, harmed, List.of(), true);
    }

    private static Observation.ObservedRun ended(String end, Observation.RunDetails closer) {
        return new Observation.ObservedRun("r_1", end.split(",", -1)[0], 1, end, false, Optional.of(closer));
    }

    private static Observation.ObservedRun running(boolean alive) {
        return new Observation.ObservedRun("r_1", "running", 1, "", alive, Optional.empty());
    }

    private boolean look(double at, Observation.ObservedRun... runs) {
        return checker.look(new Observation(at, 0, List.of(runs)));
    }

    private void isConvicted(int promise, Count count) {
        assertThat(checker.violations()).singleElement().satisfies(one -> {
            assertThat(one.promise()).isEqualTo(promise);
            assertThat(one.count()).isEqualTo(count);
            assertThat(one.runId()).isEqualTo("r_1");
        });
    }

    @Test
    void a_run_that_ended_well_and_was_told_of_once_is_innocent() {
        checker.accepted("r_1", 0.5);
        assertThat(look(1, running(true))).isTrue();
        assertThat(look(2, ended(DONE, closer(FINISHED, false, 1)))).isTrue();
        assertThat(look(20, ended(DONE, closer(FINISHED, false, 1)))).isTrue();
        assertThat(checker.violations()).isEmpty();
    }

    @Test
    void an_accepted_run_that_is_not_found_is_lost() {
        checker.accepted("r_1", 0.5);
        look(0.4); // a list from before it was accepted
        assertThat(checker.violations()).isEmpty();
        look(1);
        isConvicted(1, Count.LOST);
    }

    @Test
    void an_end_that_changed_is_a_lie() {
        look(1, ended(DONE, closer(FINISHED, true, 1)));
        look(2, ended("completed, finished, 06:01", closer(FINISHED, true, 1)));
        isConvicted(3, Count.LIES);
    }

    @Test
    void an_end_that_is_taken_back_is_a_lie() {
        look(1, ended(DONE, closer(FINISHED, true, 1)));
        look(2, running(true));
        isConvicted(3, Count.LIES);
    }

    @Test
    void an_end_without_a_notice_is_lost() {
        look(1, ended(DONE, closer(FINISHED, false)));
        isConvicted(4, Count.LOST);
    }

    @Test
    void an_end_with_two_notices_is_doubled() {
        look(1, ended(DONE, closer(FINISHED, false, 1, 1)));
        isConvicted(4, Count.DOUBLED);
    }

    @Test
    void a_notice_without_an_end_is_a_lie() {
        var early = closer(FINISHED, false, 1);
        look(1, new Observation.ObservedRun("r_1", "running", 1, "", true, Optional.of(early)));
        isConvicted(4, Count.LIES);
    }

    @Test
    void an_agent_that_ran_twice_is_doubled() {
        var twice = new AgentLog(List.of(AGENT, new ExactProcess(4712, 100)), List.of(), OptionalInt.of(0), false);
        look(1, ended(DONE, closer(twice, false, 1)));
        isConvicted(3, Count.DOUBLED);
    }

    @Test
    void running_without_a_process_is_a_lie_after_five_seconds_and_not_before() {
        assertThat(look(1, running(false))).as("it is looked at again").isFalse();
        assertThat(look(5.9, running(false))).isFalse();
        assertThat(checker.violations()).isEmpty();
        look(6.1, running(false));
        isConvicted(7, Count.LIES);
    }

    @Test
    void the_five_seconds_begin_when_the_daemon_is_back_and_again_with_each_death() {
        checker.look(new Observation(1, 0, List.of(running(false))));
        checker.look(new Observation(8, 7.5, List.of(running(false))));
        assertThat(checker.violations()).isEmpty();
        checker.look(new Observation(9, 7.5, List.of(running(true))));
        checker.look(new Observation(13, 7.5, List.of(running(false))));
        assertThat(checker.violations()).isEmpty();
    }

    @Test
    void completed_without_the_agents_own_word_is_a_lie() {
        var cut = new AgentLog(List.of(AGENT), List.of(), OptionalInt.empty(), false);
        look(1, ended(DONE, closer(cut, true, 1)));
        isConvicted(5, Count.LIES);
    }

    @Test
    void completed_after_an_exit_with_3_is_a_lie() {
        var failed = new AgentLog(List.of(AGENT), List.of(), OptionalInt.of(3), false);
        look(1, ended(DONE, closer(failed, true, 1)));
        isConvicted(5, Count.LIES);
    }

    @Test
    void work_that_was_done_undisturbed_and_is_called_lost_is_lost() {
        var closer = new Observation.RunDetails(List.of(1), Map.of(), FINISHED, false, List.of(), true);
        look(1, ended("abandoned, perch_lost, 06:00", closer));
        isConvicted(5, Count.LOST);
    }

    @Test
    void a_process_that_outlives_its_run_is_an_orphan_after_five_seconds() {
        var left = new Observation.RunDetails(List.of(1), Map.of(), FINISHED, false, List.of(AGENT), true);
        assertThat(look(1, ended(DONE, left))).isFalse();
        look(6.1, ended(DONE, left));
        isConvicted(8, Count.ORPHANS);
    }

    @Test
    void surfaces_that_go_on_disagreeing_are_a_lie() {
        var torn = new Observation.RunDetails(
                List.of(1), Map.of("output.md", "running"), FINISHED, false, List.of(), true);
        assertThat(look(1, ended(DONE, torn))).isFalse();
        look(6.1, ended(DONE, torn));
        isConvicted(2, Count.LIES);
    }

    @Test
    void work_that_is_nowhere_is_lost() {
        var gone = new Observation.RunDetails(List.of(1), Map.of(), FINISHED, false, List.of(), false);
        look(1, ended(DONE, gone));
        look(6.1, ended(DONE, gone));
        isConvicted(9, Count.LOST);
    }
}
