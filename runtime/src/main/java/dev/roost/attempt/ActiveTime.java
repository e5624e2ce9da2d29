package dev.roost.attempt;

import dev.roost.base.Clock;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Phase;
import dev.roost.os.Processes;
import java.time.Duration;
import java.util.Optional;

/** Measures the active time of an attempt, without the machine's sleep and without the wait for answers. */
final class ActiveTime {

    private final Clock clock;
    private final Duration before; // active time of this attempt in an earlier boot
    private long beganAt = -1;
    private long waited;
    private long waitingSince = -1;

    ActiveTime(Clock clock, AttemptRecord attempt) {
        this.clock = clock;
        var progress = attempt.progress();
        boolean thisBoot = attempt.began()
                .filter(startedProcesses -> startedProcesses.bootId().equals(Processes.bootId()))
                .isPresent();
        this.before = thisBoot ? Duration.ZERO : progress.active();
        if (!thisBoot) return;
        this.beganAt = attempt.began().map(StartedProcesses::monotonicNanos).orElseThrow();
        this.waited = progress.waited().toNanos();
        if (attempt.phase().equals(Optional.of(Phase.NEEDS_INPUT)))
            waitingSince = beganAt + waited + progress.active().toNanos(); // it kept waiting while no daemon ran
    }

    void began(StartedProcesses startedProcesses) {
        beganAt = startedProcesses.monotonicNanos();
    }

    void waiting(boolean isWaiting) {
        long now = clock.monotonicNanos();
        if (isWaiting && waitingSince < 0) waitingSince = now;
        if (!isWaiting && waitingSince >= 0) {
            waited += now - waitingSince;
            waitingSince = -1;
        }
    }

    boolean isWaiting() {
        return waitingSince >= 0;
    }

    /** How long the current question has been open. */
    Duration waiting() {
        return isWaiting() ? Duration.ofNanos(clock.monotonicNanos() - waitingSince) : Duration.ZERO;
    }

    Duration waited() {
        return waiting().plusNanos(waited);
    }

    Duration active() {
        if (beganAt < 0) return before;
        return Duration.ofNanos(Math.max(0, clock.monotonicNanos() - beganAt - waited().toNanos()));
    }
}
