package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.Status;
import dev.roost.model.Usage;
import dev.roost.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The active time of an attempt whose daemon was away for eight hours; the ledger last saved ten minutes of it. */
class ActiveTimeTest {

    private static final Duration SAVED = Duration.ofMinutes(10);
    private static final Duration AWAY = Duration.ofHours(8);
    private static final Duration WORKED = Duration.ofMinutes(25);

    private final ManualClock clock = new ManualClock();
    private final Instant began = clock.now();
    private final ActiveTime time = new ActiveTime(clock, running(), "boot");

    @BeforeEach
    void theDaemonIsAway() {
        clock.advance(AWAY);
    }

    private AttemptRecord running() {
        var process = new ProcessId(1, 1);
        return new AttemptRecord(
                1,
                1,
                Status.RUNNING,
                Optional.of(Phase.WORKING),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(new StartedProcesses(process, process, "boot", clock.monotonicNanos(), 0)),
                new AttemptProgress(StreamPosition.START, Usage.NONE, SAVED, Duration.ZERO, Optional.empty()),
                Optional.empty(),
                Optional.empty(),
                0,
                began,
                Optional.of(began),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void a_live_attempt_worked_until_now() {
        assertThat(time.active()).isEqualTo(AWAY);
    }

    @Test
    void an_attempt_that_ended_while_no_daemon_ran_worked_until_its_end() {
        time.ended(began.plus(WORKED));
        assertThat(time.active()).isEqualTo(WORKED);
    }

    @Test
    void a_wall_clock_that_was_set_takes_no_saved_time_away() {
        clock.step(Duration.ofDays(30));
        time.ended(began.plus(WORKED));
        assertThat(time.active()).isEqualTo(SAVED);
    }

    @Test
    void a_wall_clock_that_was_set_back_adds_no_time_after_now() {
        clock.step(Duration.ofDays(-30));
        time.ended(began.plus(WORKED));
        assertThat(time.active()).isEqualTo(AWAY);
    }
}
