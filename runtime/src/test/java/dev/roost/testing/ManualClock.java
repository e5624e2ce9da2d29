package dev.roost.testing;

import dev.roost.base.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that the test advances. */
public final class ManualClock implements Clock {

    private final AtomicReference<Instant> wall = new AtomicReference<>(Instant.parse("2026-11-15T20:44:00Z"));
    private final AtomicLong slept = new AtomicLong();
    private final AtomicLong monotonic = new AtomicLong(System.nanoTime());

    @Override
    public Instant now() {
        return wall.get();
    }

    @Override
    public long monotonicNanos() {
        return monotonic.get();
    }

    public void advance(Duration time) {
        wall.updateAndGet(now -> now.plus(time));
        monotonic.addAndGet(time.toNanos());
    }

    @Override
    public long sleptNanos() {
        return slept.get();
    }

    /** Simulates a sleep: the wall clock and BOOTTIME advance, the monotonic clock does not. */
    public void sleepMachine(Duration time) {
        step(time);
        slept.addAndGet(time.toNanos());
    }

    /** Sets the wall clock forward or back. */
    public void step(Duration time) {
        wall.updateAndGet(now -> now.plus(time));
    }
}
