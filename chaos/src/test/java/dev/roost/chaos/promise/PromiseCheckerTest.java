package dev.roost.chaos.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.roost.chaos.promise.RunFact.Accepted;
import dev.roost.chaos.promise.RunFact.Amount;
import dev.roost.chaos.promise.RunFact.Answer;
import dev.roost.chaos.promise.RunFact.Ended;
import dev.roost.chaos.promise.RunFact.Lag;
import dev.roost.chaos.promise.RunFact.Listed;
import dev.roost.chaos.promise.RunFact.Notified;
import dev.roost.chaos.promise.RunFact.Processes;
import dev.roost.chaos.promise.RunFact.Reported;
import dev.roost.chaos.promise.RunFact.Traced;
import dev.roost.chaos.promise.Violation.Count;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The checker reports each broken promise under its number, and nothing else. */
class PromiseCheckerTest {

    private static final String RUN = "r_1";
    private static final Reported RUNNING = new Reported(RUN, 1, "running", "");
    private static final Reported DONE = new Reported(RUN, 1, "completed", "completed, finished, 06:00");
    private static final List<Integer> ALIVE = List.of(4711);
    private static final Set<String> COMPLETED = Set.of("completed");

    private final PromiseChecker checker = new PromiseChecker();

    private boolean observe(double at, RunFact... facts) {
        return checker.check(new RunObservation(at, 0, List.of(facts)));
    }

    private void assertReported(Promise promise, Count count) {
        assertThat(checker.violations()).singleElement().satisfies(one -> {
            assertThat(one.promise()).isEqualTo(promise);
            assertThat(one.count()).isEqualTo(count);
            assertThat(one.run()).isEqualTo(RUN);
        });
    }

    /** The last fact breaks the promise, the facts before it do not; each is seen a second after the one before. */
    static Stream<Arguments> histories() {
        return Stream.of(
                history(Promise.ACCEPTED_IS_DURABLE, Count.LOST, new Accepted(RUN), new Listed(Set.of(), false)),
                history(Promise.ACCEPTED_IS_DURABLE, Count.LIES, new Listed(Set.of(RUN), true)),
                history(Promise.ACCEPTED_IS_DURABLE, Count.LIES, new Traced("a directory", Set.of(RUN), false)),
                history(
                        Promise.ACCEPTED_IS_DURABLE,
                        Count.LOST,
                        new Listed(Set.of(RUN), false),
                        new Traced("a log", Set.of(), false),
                        new Traced("a directory", Set.of(), true)),
                history(
                        Promise.ACCEPTED_IS_DURABLE,
                        Count.LOST,
                        new Answer(Promise.ACCEPTED_IS_DURABLE, RUN, "the daemon", "it is silent", "it answers")),
                history(
                        Promise.ONE_TRUTH,
                        Count.LIES,
                        new Answer(Promise.ONE_TRUTH, RUN, "its status in output.md", "completed", "completed"),
                        new Answer(Promise.ONE_TRUTH, RUN, "its status in output.md", "running", "completed")),
                history(Promise.ONE_TRUTH, Count.LIES, new Reported(RUN, 2, "queued", ""), RUNNING),
                history(Promise.FIRST_END_WINS, Count.LIES, RUNNING, DONE, DONE, RUNNING),
                history(
                        Promise.FIRST_END_WINS,
                        Count.LIES,
                        DONE,
                        new Reported(RUN, 1, "completed", "completed, finished, 06:01")),
                history(
                        Promise.FIRST_END_WINS,
                        Count.DOUBLED,
                        new Amount(Promise.FIRST_END_WINS, RUN, "starts", 1, 1),
                        new Amount(Promise.FIRST_END_WINS, RUN, "starts", 2, 1)),
                history(Promise.ONE_COMMIT, Count.LOST, new Notified(RUN, 1, 1, true), new Notified(RUN, 1, 0, true)),
                history(Promise.ONE_COMMIT, Count.DOUBLED, new Notified(RUN, 1, 2, true)),
                history(Promise.ONE_COMMIT, Count.LIES, new Notified(RUN, 1, 0, false), new Notified(RUN, 1, 1, false)),
                history(
                        Promise.DEAD_IS_NOT_DONE,
                        Count.LIES,
                        new Ended(RUN, 1, "completed", COMPLETED),
                        new Ended(RUN, 1, "completed", Set.of("failed"))),
                history(Promise.DEAD_IS_NOT_DONE, Count.LOST, new Ended(RUN, 1, "abandoned", COMPLETED)),
                history(
                        Promise.READING_DESTROYS_NOTHING,
                        Count.LOST,
                        new Amount(Promise.READING_DESTROYS_NOTHING, RUN, "pending notices", 1, 1, 1),
                        new Amount(Promise.READING_DESTROYS_NOTHING, RUN, "pending notices", 0, 1, 1)),
                history(
                        Promise.READING_DESTROYS_NOTHING,
                        Count.LIES,
                        new Amount(Promise.READING_DESTROYS_NOTHING, RUN, "pending notices", 1, 0)),
                history(
                        Promise.NO_ROW_LIES,
                        Count.LIES,
                        new Answer(Promise.NO_ROW_LIES, RUN, "the reply to its stop", "timeout", "its end")),
                history(
                        Promise.NO_ORPHANS,
                        Count.LIES,
                        new Answer(Promise.NO_ORPHANS, RUN, "processes after its stop", "[4711]", "[]")),
                history(
                        Promise.NO_WORK_THROWN_AWAY,
                        Count.LOST,
                        new Answer(Promise.NO_WORK_THROWN_AWAY, RUN, "what it wrote", "gone", "kept")),
                history(
                        Promise.YOURS_IS_YOURS,
                        Count.LIES,
                        new Answer(Promise.YOURS_IS_YOURS, RUN, "what a stranger gets", "no_such_run", "no_such_run"),
                        new Answer(Promise.YOURS_IS_YOURS, RUN, "what a stranger gets", "refused", "no_such_run")),
                history(
                        Promise.SLEEP_IS_NOT_A_STALL,
                        Count.LOST,
                        new Amount(Promise.SLEEP_IS_NOT_A_STALL, RUN, "silence of a quiet agent", 5, 60, 1000)),
                history(
                        Promise.NO_SURPRISE,
                        Count.LIES,
                        new Amount(Promise.NO_SURPRISE, RUN, "turns without a prompt", 3, 3),
                        new Amount(Promise.NO_SURPRISE, RUN, "turns without a prompt", 4, 3)),
                history(
                        Promise.BOUNDED,
                        Count.LIES,
                        new Amount(Promise.BOUNDED, RUN, "running runs", 4, 4),
                        new Amount(Promise.BOUNDED, RUN, "running runs", 5, 4)));
    }

    private static Arguments history(Promise promise, Count count, RunFact... facts) {
        return arguments(promise, count, List.of(facts));
    }

    @ParameterizedTest
    @MethodSource("histories")
    void a_history_that_breaks_a_promise_is_found(Promise promise, Count count, List<RunFact> history) {
        double at = 1;
        for (var fact : history) {
            assertThat(checker.violations()).isEmpty();
            checker.see(at++, fact);
        }
        assertReported(promise, count);
    }

    @Test
    void each_promise_has_a_history() {
        var found = histories().map(history -> history.get()[0]).collect(Collectors.toSet());
        assertThat(found).containsExactlyInAnyOrderElementsOf(Arrays.asList((Object[]) Promise.values()));
    }

    @Test
    void promises_have_the_numbers_of_the_contract() {
        assertThat(Promise.ACCEPTED_IS_DURABLE.number()).isEqualTo(1);
        assertThat(Promise.BOUNDED.number()).isEqualTo(13);
    }

    @Test
    void a_completed_run_with_one_notice_is_no_violation() {
        checker.see(0.5, new Accepted(RUN));
        assertThat(observe(1, new Listed(Set.of(RUN), true), RUNNING, new Processes(RUN, ALIVE)))
                .isTrue();
        for (double at = 2; at < 30; at += 9)
            assertThat(observe(
                            at,
                            new Listed(Set.of(RUN), true),
                            DONE,
                            new Processes(RUN, List.of()),
                            new Notified(RUN, 1, 1, true),
                            new Ended(RUN, 1, "completed", COMPLETED)))
                    .isTrue();
        assertThat(checker.violations()).isEmpty();
    }

    @Test
    void a_list_from_before_a_run_was_accepted_may_lack_it() {
        checker.see(0.5, new Accepted(RUN));
        observe(0.4, new Listed(Set.of(), true));
        assertThat(checker.violations()).isEmpty();
    }

    @Test
    void running_without_a_process_is_a_lie_only_after_five_seconds() {
        assertThat(observe(1, RUNNING, new Processes(RUN, List.of())))
                .as("it is checked again")
                .isFalse();
        assertThat(observe(5.9, RUNNING, new Processes(RUN, List.of()))).isFalse();
        assertThat(checker.violations()).isEmpty();
        observe(6.1, RUNNING, new Processes(RUN, List.of()));
        assertReported(Promise.NO_ROW_LIES, Count.LIES);
    }

    @Test
    void the_five_seconds_restart_with_the_daemon_and_with_a_process() {
        RunFact gone = new Processes(RUN, List.of());
        checker.check(new RunObservation(1, 0, List.of(RUNNING, gone)));
        checker.check(new RunObservation(8, 7.5, List.of(RUNNING, gone)));
        assertThat(checker.violations()).isEmpty();
        checker.check(new RunObservation(9, 7.5, List.of(RUNNING, new Processes(RUN, ALIVE))));
        checker.check(new RunObservation(13, 7.5, List.of(RUNNING, gone)));
        assertThat(checker.violations()).isEmpty();
    }

    @Test
    void a_process_that_outlives_its_run_is_an_orphan_after_five_seconds() {
        assertThat(observe(1, DONE, new Processes(RUN, ALIVE))).isFalse();
        observe(6.1, DONE, new Processes(RUN, ALIVE));
        assertReported(Promise.NO_ORPHANS, Count.ORPHANS);
    }

    @Test
    void a_process_without_a_row_is_an_orphan() {
        observe(1, new Processes(RUN, ALIVE));
        observe(6.1, new Processes(RUN, ALIVE));
        assertReported(Promise.NO_ORPHANS, Count.ORPHANS);
    }

    @Test
    void a_fact_that_may_lag_breaks_a_promise_after_five_seconds() {
        var torn = new Lag(new Answer(Promise.ONE_TRUTH, RUN, "its status in output.md", "running", "completed"));
        assertThat(observe(1, torn)).isFalse();
        assertThat(checker.violations()).isEmpty();
        observe(6.1, torn);
        assertReported(Promise.ONE_TRUTH, Count.LIES);
    }

    @Test
    void a_promise_is_reported_once_for_each_run() {
        observe(1, new Notified(RUN, 1, 0, true), new Notified("r_2", 1, 0, true));
        observe(2, new Notified(RUN, 1, 0, true), new Notified("r_2", 1, 0, true));
        assertThat(checker.violations()).extracting(Violation::run).containsExactly(RUN, "r_2");
    }
}
