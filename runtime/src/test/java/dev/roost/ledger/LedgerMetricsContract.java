package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Refusal;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Caps;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.Exit;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The metrics get each step once, and no refused one. */
interface LedgerMetricsContract extends LedgerFixture {

    /** Metrics that record their calls. */
    final class RecordingMetrics implements LedgerMetrics {
        private final List<AttemptStart> started = new ArrayList<>();
        private final List<AttemptEndMetrics> ended = new ArrayList<>();
        private final List<Long> acknowledged = new ArrayList<>();
        private int writes;

        @Override
        public void committed(int count, Duration took) {
            writes += count;
        }

        @Override
        public void attemptStarted(AttemptStart one) {
            started.add(one);
        }

        @Override
        public void attemptEnded(AttemptEndMetrics one) {
            ended.add(one);
        }

        @Override
        public void acknowledged(RunId run, long notice, Duration waited) {
            acknowledged.add(notice);
        }
    }

    @Test
    default void metrics_get_each_start_and_end_once_and_no_refused_write() {
        var metrics = new RecordingMetrics();
        ledger().listeners().setMetrics(metrics);
        var run = running();
        ledger().recordStarted(run, 1, processes());
        ledger().finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, true)));
        ledger().claimNext(Caps.NONE);
        ledger().recordStarted(run, 2, processes());
        ledger().finish(run, 2, end(SUCCESS));
        ledger().finish(run, 2, end(SUCCESS));
        ledger().notices().markRead(run, 2);
        ledger().notices().markRead(run, 2);

        assertThat(metrics.started)
                .extracting(LedgerMetrics.AttemptStart::asked)
                .containsExactly(true, false);
        assertThat(metrics.ended)
                .extracting(one -> one.outcome().cause())
                .containsExactly(Cause.PERCH_LOST, Cause.FINISHED);
        assertThat(metrics.ended).allSatisfy(one -> assertThat(one.lag()).isEmpty()); // no daemon observed an exit
        assertThat(metrics.acknowledged).hasSize(1);
        int before = metrics.writes;
        submit(aRun(Optional.of("taken"), OWNER));
        assertThatThrownBy(() -> submit(aRun(Optional.of("taken"), OWNER))).isInstanceOf(Refusal.class);
        assertThat(metrics.writes).isEqualTo(before + 2);
    }

    @Test
    default void the_lag_of_an_end_is_known_only_if_a_daemon_observed_the_exit() {
        var metrics = new RecordingMetrics();
        ledger().listeners().setMetrics(metrics);
        var run = running();
        var seen = new Evidence(
                Optional.of(new Exit(0, false)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(Duration.ofSeconds(1)),
                Optional.empty(),
                "",
                List.of(),
                Optional.empty());
        ledger().finish(
                        run,
                        1,
                        new AttemptEnd(
                                SUCCESS,
                                clock().now().minusMillis(7),
                                seen,
                                AttemptResult.none(),
                                AttemptProgress.of(StreamPosition.START)));
        assertThat(metrics.ended.getFirst().lag()).contains(Duration.ofMillis(7));
    }
}
