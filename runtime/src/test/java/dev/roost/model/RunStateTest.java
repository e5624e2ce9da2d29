package dev.roost.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The state machine of docs/lifecycle.md. */
class RunStateTest {

    private static final StopReason BY_OWNER = new StopReason.UserStop("claude:1");
    private static final RunState RUNNING = new RunState.Running(1, Optional.empty());
    private static final RunState STOPPING = new RunState.Running(1, Optional.of(BY_OWNER));

    @Test
    void a_queued_run_is_claimed_or_stopped_and_nothing_else() {
        var queued = new RunState.Queued(1);
        assertThat(queued.apply(new RunEvent.Claimed())).isEqualTo(RUNNING);
        assertThat(queued.apply(new RunEvent.StopRequested(BY_OWNER)).status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(queued.apply(new RunEvent.Exited(new Outcome.Completed()))).isSameAs(queued);
        assertThat(queued.apply(new RunEvent.Lost(Cause.PERCH_LOST, true))).isSameAs(queued);
    }

    @Test
    void the_stop_decides_the_outcome_even_if_the_agent_then_exits_with_0() {
        assertThat(STOPPING.apply(new RunEvent.Exited(new Outcome.Completed())))
                .isEqualTo(new RunState.Ended(1, new Outcome.Canceled()));
        var overTime = new RunState.Running(1, Optional.of(new StopReason.BudgetStop(Cause.BUDGET_TIME)));
        assertThat(overTime.apply(new RunEvent.Exited(new Outcome.Completed())))
                .isEqualTo(new RunState.Ended(1, new Outcome.Failed(Cause.BUDGET_TIME)));
    }

    @Test
    void only_the_first_stop_counts() {
        assertThat(STOPPING.apply(new RunEvent.StopRequested(new StopReason.UserStop("operator"))))
                .isSameAs(STOPPING);
    }

    @Test
    void a_loss_is_resumed_as_the_next_attempt_or_abandoned() {
        assertThat(RUNNING.apply(new RunEvent.Lost(Cause.HOST_REBOOT, true))).isEqualTo(new RunState.Queued(2));
        assertThat(RUNNING.apply(new RunEvent.Lost(Cause.HOST_REBOOT, false)))
                .isEqualTo(new RunState.Ended(1, new Outcome.Abandoned(Cause.HOST_REBOOT)));
    }

    @Test
    void a_run_that_is_lost_while_stopping_is_not_resumed() {
        assertThat(STOPPING.apply(new RunEvent.Lost(Cause.PERCH_LOST, true)).status())
                .isEqualTo(Status.CANCELED_BY_USER);
    }

    @Test
    void in_any_order_of_events_an_end_stays_and_attempts_only_grow() {
        for (long seed = 0; seed < 2000; seed++) {
            var random = new Random(seed);
            RunState state = new RunState.Queued(1);
            var history = new ArrayList<RunState>(List.of(state));
            for (int i = 0; i < 12; i++) {
                var event = anEvent(random);
                var next = state.apply(event);
                if (state instanceof RunState.Ended && !(event instanceof RunEvent.Continued)) {
                    assertThat(next).as("seed %d: %s", seed, history).isSameAs(state);
                }
                assertThat(next.attempt())
                        .as("seed %d: %s", seed, history)
                        .isBetween(state.attempt(), state.attempt() + 1);
                if (next.attempt() > state.attempt()) assertThat(next).isInstanceOf(RunState.Queued.class);
                boolean completed = next.status() == Status.COMPLETED && state.status() != Status.COMPLETED;
                if (completed) assertThat(event).isEqualTo(new RunEvent.Exited(new Outcome.Completed()));
                history.add(next);
                state = next;
            }
        }
    }

    private static RunEvent anEvent(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> new RunEvent.Claimed();
            case 1 ->
                new RunEvent.StopRequested(
                        random.nextBoolean() ? BY_OWNER : new StopReason.BudgetStop(Cause.BUDGET_TIME));
            case 2 -> new RunEvent.Exited(new Outcome.Completed());
            case 3 -> new RunEvent.Exited(new Outcome.Failed(Cause.EXIT_CODE));
            case 4 -> new RunEvent.Lost(Cause.PERCH_LOST, random.nextBoolean());
            default -> new RunEvent.Continued();
        };
    }
}
