package dev.roost.pauses;

import dev.roost.base.Clock;
import java.time.Duration;
import java.time.Instant;

/** Distinguishes a sleep of the machine from a change of its wall clock. Called every few seconds. */
public final class PauseDetector {

    /** The shortest pause. */
    public static final Duration SHORTEST = Duration.ofSeconds(30);

    /** The result of one check: what happened since the last one. */
    public sealed interface ClockObservation {
        record NoPause() implements ClockObservation {}

        record SystemSleep(Instant from, Instant to) implements ClockObservation {}

        /** The wall clock jumped without a sleep of the machine. */
        record ClockStep(Duration by) implements ClockObservation {}
    }

    private record ClockTimes(Instant wall, long monotonic, long slept) {}

    private final Clock clock;
    private ClockTimes last;

    public PauseDetector(Clock clock) {
        this.clock = clock;
        this.last = read();
    }

    private ClockTimes read() {
        return new ClockTimes(clock.now(), clock.monotonicNanos(), clock.sleptNanos());
    }

    public synchronized ClockObservation detect() {
        var before = last;
        var now = read();
        last = now;
        var slept = Duration.ofNanos(now.slept - before.slept);
        if (slept.compareTo(SHORTEST) > 0) return new ClockObservation.SystemSleep(now.wall.minus(slept), now.wall);
        var step = Duration.between(before.wall, now.wall)
                .minusNanos(now.monotonic - before.monotonic)
                .minus(slept);
        return step.abs().compareTo(SHORTEST) > 0
                ? new ClockObservation.ClockStep(step)
                : new ClockObservation.NoPause();
    }
}
