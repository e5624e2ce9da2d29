package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Caps;
import dev.roost.model.Cause;
import dev.roost.model.Phase;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A stop request ends exactly the requested attempt, once. */
interface StopReasonContract extends LedgerFixture {

    @Test
    default void a_queued_run_that_is_stopped_ends_at_once_with_its_notice() {
        var run = submit(aRun()).id();
        var stopped =
                ledger().requestStop(run, new StopReason.UserStop("operator")).orElseThrow();

        assertThat(stopped.status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(ledger().notices().pending(Optional.of(OWNER))).hasSize(1);
        assertThat(ledger().claimNext(Caps.NONE)).isEmpty();
    }

    @Test
    default void a_stopped_running_run_is_stopping_until_it_ends() {
        var run = running();
        var stopping =
                ledger().requestStop(run, new StopReason.UserStop("operator")).orElseThrow();
        assertThat(stopping.status()).isEqualTo(Status.RUNNING);
        assertThat(stopping.latest().phase()).contains(Phase.STOPPING);
        assertThat(stopping.latest().stopping()).contains(new StopReason.UserStop("operator"));

        ledger().requestStop(run, new StopReason.UserStop(OWNER.id()));
        ledger().finish(run, 1, end(SUCCESS));

        assertThat(find(run).status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(find(run).latest().stopping())
                .as("the first stop counts")
                .contains(new StopReason.UserStop("operator"));
    }

    @Test
    default void a_budget_stop_of_an_old_attempt_does_not_stop_the_next_one() {
        var run = running();
        ledger().finish(run, 1, end(new RunEvent.Lost(Cause.WORKER_LOST, true)));
        ledger().requestStop(run, 1, new StopReason.BudgetStop(Cause.BUDGET_TIME));
        assertThat(find(run).status()).isEqualTo(Status.QUEUED);
        ledger().claimNext(Caps.NONE);
        ledger().requestStop(run, 1, new StopReason.BudgetStop(Cause.BUDGET_TIME));
        assertThat(find(run).latest().stopping()).isEmpty();
        ledger().requestStop(run, 2, new StopReason.BudgetStop(Cause.BUDGET_TIME));
        assertThat(find(run).latest().stopping()).isPresent();
    }

    @Test
    default void stopping_an_ended_run_changes_nothing() {
        var run = running();
        ledger().finish(run, 1, end(SUCCESS));
        var before = find(run);

        assertThat(ledger().requestStop(run, new StopReason.UserStop("operator")))
                .contains(before);
        assertThat(ledger().requestStop(RunId.create(clock().now()), new StopReason.UserStop("operator")))
                .isEmpty();
    }

    @Test
    default void a_stop_that_races_with_an_end_never_leaves_two_ends_or_none() throws Exception {
        for (int round = 0; round < 40; round++) {
            var run = running();
            concurrently(
                    2,
                    i -> i == 0
                            ? ledger().finish(run, 1, end(SUCCESS))
                            : ledger().requestStop(run, new StopReason.UserStop("operator"))
                                    .isPresent());
            assertThat(find(run).status()).isIn(Status.COMPLETED, Status.CANCELED_BY_USER);
            assertThat(ledger().notices().of(run)).hasSize(1);
        }
    }
}
