package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.run.Evidence;
import dev.roost.run.Owner;
import dev.roost.run.Usage;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What runs use is counted once, for their owner and its day. */
interface SpendingContract extends LedgerStage {

    @Test
    default void owners_are_tallied_by_what_is_live_and_unread_and_days_by_what_they_cost() {
        var live = running();
        var ended = running();
        ledger().progressed(live, 1, used(120, 5_000));
        ledger().finish(ended, 1, end(SUCCESS));
        submit(aRun(Optional.empty(), STRANGER));

        assertThat(ledger().tallies().owners(Optional.empty()))
                .containsExactly(new Tallies.OfOwner(PARENT, 1, 1), new Tallies.OfOwner(STRANGER, 1, 0));
        assertThat(ledger().tallies().owners(Optional.of(STRANGER)))
                .containsExactly(new Tallies.OfOwner(STRANGER, 1, 0));
        var today = LocalDate.ofInstant(clock().now(), ZoneOffset.UTC);
        assertThat(ledger().tallies().spent(today, Optional.empty()))
                .containsExactly(new Tallies.Spent(today, PARENT, 120, 5_000));
        assertThat(ledger().tallies().spent(today.plusDays(1), Optional.empty()))
                .isEmpty();
        assertThat(ledger().tallies().spent(today, Optional.of(STRANGER))).isEmpty();
    }

    @Test
    default void what_an_owner_spent_is_what_its_runs_used_also_where_an_estimate_was_too_high() {
        var run = running();
        ledger().progressed(run, 1, used(100, 6000));
        ledger().progressed(run, 1, used(100, 6000));
        ledger().progressed(run, 1, used(90, 5000));
        ledger().progressed(run, 1, used(120, 7000));
        assertThat(ledger().tallies().spentToday(PARENT).tokens()).isEqualTo(120);
        assertThat(ledger().tallies().spentToday(PARENT).costMicros()).contains(7000L);
    }

    private static Progress used(long tokens, long micros) {
        return new Progress(
                Position.START,
                new Usage(tokens, 0, 0, Optional.of(micros), 1),
                Duration.ofSeconds(1),
                Duration.ZERO,
                Optional.of("conversation"));
    }

    @Test
    default void what_a_run_uses_is_its_owners_spending_of_the_day_and_counted_once() {
        var run = running();
        ledger().progressed(run, 1, used(100, 10));
        ledger().progressed(run, 1, used(100, 10));
        ledger().progressed(run, 1, used(250, 30));
        reopen();
        assertThat(ledger().tallies().spentToday(PARENT).tokens()).isEqualTo(250);
        assertThat(ledger().tallies().spentToday(PARENT).costMicros()).contains(30L);
        assertThat(find(run).sessionId()).contains("conversation");
        ledger().finish(run, 1, new End(SUCCESS, clock().now(), Evidence.none(), Result.none(), used(300, 40)));
        assertThat(ledger().tallies().spentToday(PARENT).tokens()).isEqualTo(300);
        assertThat(ledger().progressed(run, 1, used(999, 99))).as("too late").isFalse();
        clock().advance(Duration.ofDays(1));
        assertThat(ledger().tallies().spentToday(PARENT).tokens())
                .as("another day")
                .isZero();
        assertThat(ledger().tallies().spentToday(new Owner("claude:other")).tokens())
                .isZero();
    }
}
