package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Evidence;
import dev.roost.model.Owner;
import dev.roost.model.Usage;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The usage of runs is counted once, for the owner and the day. */
interface SpendStoreContract extends LedgerFixture {

    @Test
    default void owners_have_counts_of_live_and_unread_runs_and_days_have_costs() {
        var live = running();
        var ended = running();
        ledger().recordProgress(live, 1, used(120, 5_000));
        ledger().finish(ended, 1, end(SUCCESS));
        submit(aRun(Optional.empty(), OTHER_OWNER));

        assertThat(ledger().spend().owners(Optional.empty()))
                .containsExactly(
                        new SpendStore.OwnerCounts(OWNER, 1, 1), new SpendStore.OwnerCounts(OTHER_OWNER, 1, 0));
        assertThat(ledger().spend().owners(Optional.of(OTHER_OWNER)))
                .containsExactly(new SpendStore.OwnerCounts(OTHER_OWNER, 1, 0));
        var today = LocalDate.ofInstant(clock().now(), ZoneOffset.UTC);
        assertThat(ledger().spend().spent(today, Optional.empty()))
                .containsExactly(new SpendStore.DailySpend(today, OWNER, 120, 5_000));
        assertThat(ledger().spend().spent(today.plusDays(1), Optional.empty())).isEmpty();
        assertThat(ledger().spend().spent(today, Optional.of(OTHER_OWNER))).isEmpty();
    }

    @Test
    default void an_owners_spending_equals_the_usage_of_its_runs_even_after_a_high_estimate() {
        var run = running();
        ledger().recordProgress(run, 1, used(100, 6000));
        ledger().recordProgress(run, 1, used(100, 6000));
        ledger().recordProgress(run, 1, used(90, 5000));
        ledger().recordProgress(run, 1, used(120, 7000));
        assertThat(ledger().spend().spentToday(OWNER).tokens()).isEqualTo(120);
        assertThat(ledger().spend().spentToday(OWNER).costMicros()).contains(7000L);
    }

    private static AttemptProgress used(long tokens, long micros) {
        return new AttemptProgress(
                StreamPosition.START,
                new Usage(tokens, 0, 0, Optional.of(micros), 1),
                Duration.ofSeconds(1),
                Duration.ZERO,
                Optional.of("conversation"));
    }

    @Test
    default void a_runs_usage_is_its_owners_spending_of_the_day_and_counted_once() {
        var run = running();
        ledger().recordProgress(run, 1, used(100, 10));
        ledger().recordProgress(run, 1, used(100, 10));
        ledger().recordProgress(run, 1, used(250, 30));
        reopen();
        assertThat(ledger().spend().spentToday(OWNER).tokens()).isEqualTo(250);
        assertThat(ledger().spend().spentToday(OWNER).costMicros()).contains(30L);
        assertThat(find(run).sessionId()).contains("conversation");
        ledger().finish(
                        run,
                        1,
                        new AttemptEnd(SUCCESS, clock().now(), Evidence.none(), AttemptResult.none(), used(300, 40)));
        assertThat(ledger().spend().spentToday(OWNER).tokens()).isEqualTo(300);
        assertThat(ledger().recordProgress(run, 1, used(999, 99)))
                .as("too late")
                .isFalse();
        clock().advance(Duration.ofDays(1));
        assertThat(ledger().spend().spentToday(OWNER).tokens())
                .as("another day")
                .isZero();
        assertThat(ledger().spend().spentToday(new Owner("claude:other")).tokens())
                .isZero();
    }
}
