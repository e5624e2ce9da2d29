package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Caps;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.Exit;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.RunEvent;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** An attempt ends once in every race, and an ended run is continued once. */
interface CompletionContract extends LedgerFixture {

    @Test
    default void end_result_and_notice_are_written_together() {
        var run = running();
        assertThat(ledger().notices().pending(Optional.empty())).isEmpty();

        assertThat(ledger().finish(run, 1, end(SUCCESS))).isTrue();
        reopen();

        assertThat(find(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(find(run).latest().cause()).contains(Cause.FINISHED);
        assertThat(find(run).latest().unread()).isTrue();
        assertThat(find(run).latest().position()).isEqualTo(new StreamPosition(7, 9, 11));
        assertThat(ledger().runs().result(run, 1)).contains("the result");
        assertThat(ledger().notices().pending(Optional.of(OWNER)))
                .singleElement()
                .satisfies(notice -> {
                    assertThat(notice.ofRun().orElseThrow().run().id()).isEqualTo(run);
                    assertThat(notice.ofRun().orElseThrow().attempt().status()).isEqualTo(Status.COMPLETED);
                });
    }

    @Test
    default void evidence_is_stored_unchanged() {
        var run = running();
        var evidence = new Evidence(
                Optional.of(new Exit(137, true)),
                Optional.of(new ProcessId(42, 4711)),
                Optional.of("boot"),
                Optional.of(Instant.parse("2026-11-15T03:00:00Z")),
                Optional.of(Duration.ofMinutes(5)),
                Optional.of(Duration.ofHours(16)),
                "oh no\n",
                List.of("43 sleep 1000"),
                Optional.of("a note"));
        ledger().finish(
                        run,
                        1,
                        new AttemptEnd(
                                SUCCESS,
                                clock().now(),
                                evidence,
                                AttemptResult.none(),
                                AttemptProgress.of(StreamPosition.START)));

        assertThat(find(run).latest().evidence()).contains(evidence);
    }

    @Test
    default void the_first_end_wins_and_a_late_end_is_recorded_as_an_event() {
        var run = running();
        ledger().finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, false)));

        assertThat(ledger().finish(run, 1, end(SUCCESS, "too late"))).isFalse();

        assertThat(find(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(ledger().runs().result(run, 1)).contains("the result");
        assertThat(ledger().notices().pending(Optional.empty())).hasSize(1);
        assertThat(ledger().runs().events(run)).extracting(TimelineEvent::kind).endsWith("late");
    }

    @Test
    default void an_old_attempt_can_change_nothing() {
        var run = running();
        ledger().finish(run, 1, end(new RunEvent.Lost(Cause.HOST_REBOOT, true)));
        assertThat(find(run).latest().n()).isEqualTo(2);
        assertThat(find(run).status()).isEqualTo(Status.QUEUED);
        assertThat(find(run).latest().phase()).contains(Phase.RESUMING);
        assertThat(ledger().notices().pending(Optional.empty()))
                .as("a resumed loss is not an end")
                .isEmpty();
        assertThat(ledger().claimNext(Caps.NONE).orElseThrow().latest().n()).isEqualTo(2);

        assertThat(ledger().finish(run, 1, end(SUCCESS))).isFalse();
        assertThat(ledger().recordStarted(run, 1, processes())).isFalse();
        assertThat(ledger().recordProgress(run, 1, AttemptProgress.of(new StreamPosition(1, 1, 1))))
                .isFalse();

        assertThat(find(run).status()).isEqualTo(Status.RUNNING);
        assertThat(find(run).latest().began()).isEmpty();
        assertThat(ledger().runs().attempts(run))
                .extracting(AttemptRecord::status)
                .containsExactly(Status.ABANDONED, Status.RUNNING);
    }

    @Test
    default void exactly_one_of_many_concurrent_claims_or_ends_wins() throws Exception {
        for (int round = 0; round < 20; round++) {
            var run = submit(aRun()).id();
            assertThat(concurrently(16, _ -> ledger().claimNext(Caps.NONE).isPresent()))
                    .containsOnlyOnce(true);
            assertThat(concurrently(
                            16,
                            i -> ledger().finish(
                                            run,
                                            1,
                                            end(i % 2 == 0 ? SUCCESS : new RunEvent.Lost(Cause.PERCH_LOST, false)))))
                    .containsOnlyOnce(true);
            assertThat(ledger().notices().of(run)).hasSize(1);
        }
    }

    @Test
    default void after_one_reader_saw_the_end_no_reader_sees_the_run_running() throws Exception {
        var run = running();
        var seen = new ConcurrentLinkedQueue<Boolean>();
        concurrently(9, i -> {
            if (i == 0) return ledger().finish(run, 1, end(SUCCESS));
            boolean ended = false;
            for (int n = 0; n < 200; n++) {
                boolean before = !seen.isEmpty();
                boolean now = find(run).status().ended();
                if (before)
                    assertThat(now).as("another reader had seen the end").isTrue();
                if (now) seen.add(true);
                ended |= now;
            }
            return ended;
        });
    }

    @Test
    default void in_any_order_of_calls_every_end_has_exactly_one_notice() {
        for (long seed = 0; seed < 60; seed++) {
            var random = new Random(seed);
            var run = submit(aRun()).id();
            for (int i = 0; i < 10; i++) {
                int attempt = 1 + random.nextInt(3);
                switch (random.nextInt(5)) {
                    case 0 -> ledger().claimNext(Caps.NONE);
                    case 1 -> ledger().requestStop(run, new StopReason.UserStop("operator"));
                    case 2 -> ledger().finish(run, attempt, end(SUCCESS));
                    case 3 ->
                        ledger().finish(run, attempt, end(new RunEvent.Lost(Cause.PERCH_LOST, random.nextBoolean())));
                    default -> ledger().notices().markRead(run, attempt);
                }
            }
            var latest = find(run).latest();
            assertThat(ledger().notices().of(run))
                    .as("seed %d", seed)
                    .hasSize(latest.status().ended() ? 1 : 0);
            var earlier = ledger().runs().attempts(run).subList(0, latest.n() - 1);
            assertThat(earlier)
                    .as("seed %d", seed)
                    .allMatch(attempt -> attempt.status().ended());
        }
    }

    @Test
    default void an_ended_run_is_continued_once_by_the_first_caller() throws Exception {
        var run = running();
        ledger().finish(run, 1, end(SUCCESS));
        var won = concurrently(
                8,
                _ -> ledger().continueAfter(run, 1, "operator", Optional.empty(), new StreamPosition(0, 20, 0))
                        .isPresent());
        assertThat(won).containsOnlyOnce(true);
        assertThat(find(run).latest().n()).isEqualTo(2);
        assertThat(find(run).latest().turn()).isEqualTo(2);
        assertThat(find(run).status()).isEqualTo(Status.QUEUED);
    }
}
