package dev.roost.attempt.core;

import static dev.roost.attempt.core.ObservationDraft.AGENT;
import static dev.roost.attempt.core.ObservationDraft.LEDGER_TIME;
import static dev.roost.attempt.core.ObservationDraft.PERCH;
import static dev.roost.attempt.core.ObservationDraft.STARTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.FinalReport;
import dev.roost.agents.driver.Drivers;
import dev.roost.attempt.core.AttemptAction.EndKind;
import dev.roost.attempt.core.Decision.Continuation;
import dev.roost.attempt.core.Observation.AttemptRemains;
import dev.roost.attempt.core.Observation.PerchView;
import dev.roost.attempt.core.Observation.ProcessorSample;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import dev.roost.model.Phase;
import dev.roost.model.Question;
import dev.roost.model.RunEvent;
import dev.roost.model.StopReason;
import dev.roost.model.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each rule of an attempt's life, as values: what is seen, and what is decided. */
class AttemptStateMachineTest {

    private static final Exit SUCCESS = new Exit(0, false);
    private static final AttemptHistory NEW = new AttemptHistory(0, 0);
    private static final Optional<FinalReport> DONE = Optional.of(new FinalReport.Success("done"));
    private static final Optional<FinalReport> LIMITED =
            Optional.of(new FinalReport.Failure(Cause.RATE_LIMITED, "slow down"));
    private static final Question QUESTION = new Question("q1", Question.Kind.INPUT, "Which?");
    private static final StopReason BY_USER = new StopReason.UserStop("cli:alice");

    private final ObservationDraft draft = new ObservationDraft();
    private AttemptStateMachine machine = machine(Budget.ofOutput(1000), true);

    private static AttemptStateMachine machine(Budget budget, boolean hasWorktree) {
        var rules = new AttemptRules(
                Drivers.of("claude"),
                budget,
                new EarlierUsage(Usage.NONE, Duration.ofSeconds(30), 0),
                Duration.ofSeconds(10),
                Optional.of(Duration.ofSeconds(60)),
                Optional.of(Duration.ofSeconds(20)),
                3,
                true,
                hasWorktree,
                "here");
        return new AttemptStateMachine(rules, 0, false);
    }

    private Decision next() {
        return machine.next(draft.seen());
    }

    private List<AttemptAction> actions() {
        return next().actions().stream()
                .filter(action -> !(action instanceof AttemptAction.WatchPerch))
                .toList();
    }

    private AttemptAction.Finish finish() {
        var all = actions();
        assertThat(all).singleElement().isInstanceOf(AttemptAction.Finish.class);
        return (AttemptAction.Finish) all.getFirst();
    }

    private void at(long seconds) {
        draft.now = Duration.ofSeconds(seconds);
    }

    @Test
    void the_same_observations_give_the_same_decisions() {
        var other = machine(Budget.ofOutput(1000), true);
        for (int second = 0; second < 100; second++) {
            at(second);
            assertThat(next()).isEqualTo(other.next(draft.seen()));
        }
    }

    @Test
    void an_attempt_without_a_perch_is_launched() {
        draft.perch = new PerchView.NotLaunched();
        assertThat(next()).isEqualTo(Decision.again(new AttemptAction.LaunchPerch()));
    }

    @Test
    void a_restarted_daemon_first_looks_for_the_perch_of_an_earlier_one() {
        draft.perch = new PerchView.Unknown();
        assertThat(actions()).containsExactly(new AttemptAction.FindPerch());
    }

    @Test
    void a_recovery_leaves_the_making_of_a_worktree_to_the_loop() {
        draft.perch = new PerchView.NotLaunched();
        draft.recovering = true;
        assertThat(next()).isEqualTo(Decision.await(OptionalLong.empty()));
        machine = machine(Budget.ofOutput(1000), false);
        assertThat(actions()).containsExactly(new AttemptAction.LaunchPerch());
    }

    @Test
    void a_perch_that_a_recovery_launches_is_not_noted_as_found_alive() {
        machine = machine(Budget.ofOutput(1000), false);
        draft.recovering = true;
        var launched = draft.perch;
        draft.perch = new PerchView.NotLaunched();
        next();
        draft.perch = launched;
        assertThat(actions()).isEmpty();
    }

    @Test
    void a_stopped_attempt_is_not_launched() {
        draft.perch = new PerchView.NotLaunched();
        draft.stop = Optional.of(BY_USER);
        assertThat(finish().how()).isEqualTo(new RunEvent.Lost(Cause.PERCH_LOST, false));
    }

    @Test
    void a_closing_daemon_launches_nothing() {
        draft.perch = new PerchView.NotLaunched();
        draft.detached = true;
        assertThat(next()).isEqualTo(Decision.await(OptionalLong.empty()));
    }

    @Test
    void what_cannot_be_launched_fails_with_the_reason() {
        draft.perch = new PerchView.Unlaunchable("no such directory");
        var end = finish();
        assertThat(end.how()).isEqualTo(new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)));
        assertThat(end.note()).hasValue("it could not be started: no such directory");
    }

    @Test
    void the_start_is_recorded_once_the_perch_has_written_it() {
        draft.started = Optional.empty();
        draft.startRecord = Optional.of(STARTED);
        assertThat(actions()).containsExactly(new AttemptAction.RecordStart(STARTED, true));
    }

    @Test
    void a_perch_that_died_before_its_agent_began_is_launched_again_after_its_children_are_killed() {
        draft.started = Optional.empty();
        draft.perchIsGone();
        assertThat(actions()).containsExactly(new AttemptAction.KillAll());
        assertThat(actions()).containsExactly(new AttemptAction.ForgetPerch());
    }

    @Test
    void a_perch_of_an_earlier_boot_is_gone_whoever_has_its_pid_now() {
        draft.bootId = "next boot";
        assertThat(actions()).containsExactly(new AttemptAction.CollectRemains(Optional.empty()));
        draft.left(Optional.empty(), NEW);
        assertThat(finish().how()).isEqualTo(new RunEvent.Lost(Cause.HOST_REBOOT, true));
    }

    @Test
    void a_perch_has_a_second_to_exit_after_it_recorded_the_exit() {
        draft.exit = Optional.of(SUCCESS);
        assertThat(next().then()).isEqualTo(new Continuation.Await(OptionalLong.of(1_000_000_000)));
        at(1);
        assertThat(actions()).containsExactly(new AttemptAction.CollectRemains(Optional.of(SUCCESS)));
    }

    @Test
    void an_exit_without_a_final_report_is_no_success() {
        draft.exit = Optional.of(SUCCESS);
        draft.perchIsGone();
        draft.left(Optional.empty(), NEW);
        assertThat(finish().how()).isEqualTo(new RunEvent.Exited(new Outcome.Failed(Cause.CUT_SHORT)));
    }

    @Test
    void the_final_report_decides_even_if_the_process_was_killed_after_it() {
        draft.exit = Optional.of(new Exit(137, true));
        draft.perchIsGone();
        draft.left(DONE, NEW);
        assertThat(finish().how()).isEqualTo(new RunEvent.Exited(new Outcome.Completed()));
    }

    @Test
    void a_final_report_counts_although_the_perch_vanished() {
        draft.perchIsGone();
        draft.left(DONE, NEW);
        var end = finish();
        assertThat(end.how()).isEqualTo(new RunEvent.Exited(new Outcome.Completed()));
        assertThat(end.kind()).isEqualTo(EndKind.VANISHED);
    }

    @Test
    void a_rate_limited_run_is_parked_although_the_perch_vanished() {
        draft.perchIsGone();
        draft.left(LIMITED, NEW);
        assertThat(finish().how()).isEqualTo(new RunEvent.Parked(LEDGER_TIME.plusSeconds(60)));
    }

    @Test
    void each_rate_limit_of_a_turn_doubles_the_delay_up_to_half_an_hour() {
        draft.exit = Optional.of(SUCCESS);
        draft.perchIsGone();
        draft.left(LIMITED, new AttemptHistory(0, 2));
        assertThat(finish().how()).isEqualTo(new RunEvent.Parked(LEDGER_TIME.plusSeconds(240)));
        draft.left(LIMITED, new AttemptHistory(0, 50));
        assertThat(finish().how()).isEqualTo(new RunEvent.Parked(LEDGER_TIME.plusSeconds(1800)));
    }

    @Test
    void a_lost_run_resumes_until_it_was_lost_too_often() {
        draft.perchIsGone();
        draft.left(Optional.empty(), new AttemptHistory(1, 0));
        assertThat(finish().how()).isEqualTo(new RunEvent.Lost(Cause.PERCH_LOST, true));
        draft.left(Optional.empty(), new AttemptHistory(2, 0));
        assertThat(finish().how()).isEqualTo(new RunEvent.Lost(Cause.PERCH_LOST, false));
    }

    @Test
    void a_failed_setup_is_a_failed_start() {
        draft.exit = Optional.of(SUCCESS);
        draft.perchIsGone();
        draft.remains = Optional.of(new AttemptRemains(
                Optional.empty(),
                false,
                Optional.of("npm failed"),
                false,
                true,
                Optional.empty(),
                LEDGER_TIME,
                NEW,
                List.of("sh"),
                Optional.empty()));
        var end = finish();
        assertThat(end.how()).isEqualTo(new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)));
        assertThat(end.note()).hasValue("npm failed; could not be killed: sh");
    }

    @Test
    void an_out_of_memory_kill_is_a_loss() {
        draft.exit = Optional.of(new Exit(137, true));
        draft.perchIsGone();
        draft.remains = Optional.of(new AttemptRemains(
                Optional.empty(),
                false,
                Optional.empty(),
                true,
                true,
                Optional.empty(),
                LEDGER_TIME,
                NEW,
                List.of(),
                Optional.empty()));
        assertThat(finish().how()).isEqualTo(new RunEvent.Lost(Cause.OUT_OF_MEMORY, true));
    }

    @Test
    void a_moved_attempt_continues_elsewhere_unless_it_has_succeeded() {
        draft.moving = true;
        draft.exit = Optional.of(new Exit(143, true));
        draft.perchIsGone();
        draft.left(Optional.empty(), new AttemptHistory(9, 0));
        var end = finish();
        assertThat(end.how()).isEqualTo(new RunEvent.Lost(Cause.WORKER_LOST, true));
        assertThat(end.kind()).isEqualTo(EndKind.MOVED);
        draft.left(DONE, NEW);
        assertThat(finish().how()).isEqualTo(new RunEvent.Exited(new Outcome.Completed()));
    }

    @Test
    void no_cap_stops_an_attempt_that_is_moving() {
        draft.moving = true;
        draft.outputBytes = 1001;
        assertThat(actions()).containsExactly(new AttemptAction.TerminateAgent(AGENT));
    }

    @Test
    void a_stop_escalates_from_terminate_to_kill_with_a_grace_period() {
        draft.stop = Optional.of(BY_USER);
        assertThat(actions()).containsExactly(new AttemptAction.TerminateAgent(AGENT));
        at(7);
        assertThat(actions()).isEmpty();
        at(8);
        assertThat(actions()).containsExactly(new AttemptAction.KillAllBut(PERCH));
        at(9);
        assertThat(actions()).containsExactly(new AttemptAction.KillPerch(PERCH));
    }

    @Test
    void a_restarted_daemon_ends_a_stopped_attempt_without_a_grace_period() {
        draft.recovering = true;
        draft.stop = Optional.of(BY_USER);
        assertThat(actions())
                .containsExactly(
                        new AttemptAction.NoteReattached(),
                        new AttemptAction.TerminateAgent(AGENT),
                        new AttemptAction.KillAllBut(PERCH));
    }

    @Test
    void the_time_of_all_attempts_of_a_turn_counts_against_the_budget() {
        machine = machine(Budget.ofOutput(1000).withMaxTime(Optional.of(Duration.ofSeconds(40))), true);
        draft.active = Duration.ofMillis(9_500);
        assertThat(next().then()).isEqualTo(new Continuation.Await(OptionalLong.of(500_000_000L)));
        draft.active = Duration.ofSeconds(10);
        assertThat(actions())
                .containsExactly(new AttemptAction.RequestStop(new StopReason.BudgetStop(Cause.BUDGET_TIME)));
    }

    @Test
    void output_and_the_daily_budget_stop_an_attempt() {
        draft.dailyBudget = Optional.of(Cause.BUDGET_DAY);
        assertThat(actions())
                .containsExactly(new AttemptAction.RequestStop(new StopReason.BudgetStop(Cause.BUDGET_DAY)));
        draft.outputBytes = 1001;
        assertThat(actions())
                .containsExactly(new AttemptAction.RequestStop(new StopReason.BudgetStop(Cause.BUDGET_OUTPUT)));
    }

    @Test
    void no_cap_stops_an_agent_after_its_final_report() {
        draft.outputBytes = 1001;
        draft.finalReport = DONE;
        assertThat(actions()).isEmpty();
    }

    @Test
    void an_agent_that_stays_after_its_final_report_is_ended_in_two_seconds() {
        draft.finalReport = DONE;
        assertThat(actions()).isEmpty();
        draft.now = Duration.ofMillis(100);
        assertThat(actions())
                .containsExactly(new AttemptAction.CollectResult(), new AttemptAction.SetPhase(Phase.FINISHING));
        draft.phase = Phase.FINISHING;
        at(1);
        assertThat(actions()).containsExactly(new AttemptAction.TerminateAgent(AGENT));
        at(2);
        assertThat(actions()).containsExactly(new AttemptAction.KillAllBut(PERCH));
    }

    @Test
    void a_withdrawn_report_ends_the_grace_period() {
        draft.finalReport = DONE;
        next();
        at(1);
        draft.finalReport = Optional.empty();
        draft.spoke = true;
        assertThat(actions()).doesNotContain(new AttemptAction.TerminateAgent(AGENT));
        at(2);
        draft.finalReport = DONE;
        assertThat(actions()).isEmpty();
    }

    @Test
    void an_attempt_without_output_tools_or_busy_children_is_quiet() {
        at(10);
        assertThat(actions()).containsExactly(new AttemptAction.SampleProcessor(Set.of(PERCH, AGENT)));
        draft.sample = Optional.of(new ProcessorSample(draft.now.toNanos(), 0));
        assertThat(actions()).containsExactly(new AttemptAction.SetPhase(Phase.QUIET));
        draft.phase = Phase.QUIET;
        draft.sample = Optional.of(new ProcessorSample(Duration.ofSeconds(11).toNanos(), 50));
        at(11);
        assertThat(actions()).containsExactly(new AttemptAction.SetPhase(Phase.WORKING));
    }

    @Test
    void one_step_takes_one_sample_however_long_that_took() {
        at(10);
        assertThat(actions()).hasAtLeastOneElementOfType(AttemptAction.SampleProcessor.class);
        at(20);
        assertThat(actions()).doesNotHaveAnyElementsOfTypes(AttemptAction.SampleProcessor.class);
    }

    @Test
    void a_running_tool_is_activity() {
        draft.toolRunning = true;
        at(10);
        draft.sample = Optional.of(new ProcessorSample(draft.now.toNanos(), 0));
        assertThat(actions()).isEmpty();
    }

    @Test
    void an_attempt_that_is_quiet_for_too_long_is_stopped() {
        at(60);
        draft.sample = Optional.of(new ProcessorSample(draft.now.toNanos(), 0));
        assertThat(actions())
                .containsExactly(new AttemptAction.RequestStop(new StopReason.BudgetStop(Cause.BUDGET_QUIET)));
    }

    @Test
    void a_slow_launch_is_no_quiet_time_of_the_agent() {
        draft.started = Optional.empty();
        draft.startRecord = Optional.of(STARTED);
        at(600);
        next();
        draft.startRecord = Optional.empty();
        draft.started = Optional.of(STARTED);
        draft.sample = Optional.of(new ProcessorSample(draft.now.toNanos(), 0));
        assertThat(actions()).isEmpty();
    }

    @Test
    void a_question_is_answered_once_its_timeout_expires() {
        draft.question = Optional.of(QUESTION);
        assertThat(actions()).containsExactly(new AttemptAction.SetPhase(Phase.NEEDS_INPUT));
        draft.phase = Phase.NEEDS_INPUT;
        draft.asked = draft.question;
        draft.waiting = Duration.ofSeconds(15);
        assertThat(next().then()).isEqualTo(new Continuation.Await(OptionalLong.of(5_000_000_000L)));
        draft.waiting = Duration.ofSeconds(20);
        assertThat(actions()).containsExactly(new AttemptAction.PostTimeoutAnswer(QUESTION, Duration.ofSeconds(20)));
        draft.answered = true;
        assertThat(actions()).isEmpty();
    }

    @Test
    void a_second_question_is_recorded_too() {
        draft.question = Optional.of(new Question("q2", Question.Kind.INPUT, "And now?"));
        draft.phase = Phase.NEEDS_INPUT;
        draft.asked = Optional.of(QUESTION);
        assertThat(actions()).containsExactly(new AttemptAction.SetPhase(Phase.NEEDS_INPUT));
    }

    @Test
    void a_stopped_perch_is_resumed_once_its_agent_is_dead() {
        draft.agentAlive = false;
        assertThat(actions()).contains(new AttemptAction.ResumePerch(PERCH));
    }

    @Test
    void a_fenced_attempt_is_killed_and_records_nothing() {
        draft.fenced = true;
        draft.exit = Optional.of(SUCCESS);
        assertThat(actions()).containsExactly(new AttemptAction.KillFenced());
        assertThat(next()).isEqualTo(Decision.await(OptionalLong.of(1_000_000_000)));
        draft.ended = true;
        assertThat(next()).isEqualTo(Decision.done());
    }
}
