package dev.roost.attempt;

import dev.roost.base.Clock;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Measures the active time of an attempt, without the machine's sleep and without the wait for answers. */
public final class ActiveTime {

    private final Clock clock;
    private final Duration before; // active time of this attempt in an earlier boot
    private final Duration saved;
    private Optional<Long> endedAt = Optional.empty();
    private long beganAt = -1;
    private long waited;
    private long waitingSince = -1;

    /** {@code bootId}: of this boot; the clock of an earlier one says nothing now. */
    public ActiveTime(Clock clock, AttemptRecord attempt, String bootId) {
        this.clock = clock;
        var progress = attempt.progress();
        boolean thisBoot = attempt.began()
                .filter(startedProcesses -> startedProcesses.bootId().equals(bootId))
                .isPresent();
        this.saved = progress.active();
        this.before = thisBoot ? Duration.ZERO : progress.active();
        if (!thisBoot) return;
        this.beganAt = attempt.began().map(StartedProcesses::monotonicNanos).orElseThrow();
        this.waited = progress.waited().toNanos();
        if (attempt.phase().equals(Optional.of(Phase.NEEDS_INPUT)))
            waitingSince = beganAt + waited + progress.active().toNanos(); // it kept waiting while no daemon ran
    }

    public void began(StartedProcesses startedProcesses) {
        beganAt = startedProcesses.monotonicNanos();
    }

    public void waiting(boolean isWaiting) {
        long now = clock.monotonicNanos();
        if (isWaiting && waitingSince < 0) waitingSince = now;
        if (!isWaiting && waitingSince >= 0) {
            waited += now - waitingSince;
            waitingSince = -1;
        }
    }

    public boolean isWaiting() {
        return waitingSince >= 0;
    }

    /** How long the current question has been open. */
    public Duration waiting() {
        return isWaiting() ? Duration.ofNanos(clock.monotonicNanos() - waitingSince) : Duration.ZERO;
    }

    public Duration waited() {
        return waiting().plusNanos(waited);
    }

    public Duration active() {
        if (beganAt < 0) return before;
        long until = endedAt.orElseGet(clock::monotonicNanos);
        return Duration.ofNanos(Math.max(0, until - beganAt - waited().toNanos()));
    }

    /**
     * The attempt ended at {@code at}, perhaps while no daemon ran. The wall clock may have been set or the machine may have slept
     * since, so the time saved before is the least.
     */
    public void ended(Instant at) {
        if (beganAt < 0) return;
        long now = clock.monotonicNanos();
        long least = Math.min(now, beganAt + waited().toNanos() + saved.toNanos());
        long ago = Math.max(0, Duration.between(at, clock.now()).toNanos());
        endedAt = Optional.of(Math.max(least, now - ago));
    }
}
