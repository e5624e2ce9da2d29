package dev.roost.testing;

import dev.roost.base.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** Real time, which real agents need, plus an offset that the test advances; the wall clock can be set alone. */
public final class OffsetClock implements Clock {

    private final AtomicLong wall = new AtomicLong();
    private final AtomicLong slept = new AtomicLong();
    private final AtomicLong monotonic = new AtomicLong();

    @Override
    public Instant now() {
        return Instant.now().plusNanos(wall.get());
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime() + monotonic.get();
    }

    @Override
    public long sleptNanos() {
        return slept.get();
    }

    public void pass(Duration time) {
        wall.addAndGet(time.toNanos());
        monotonic.addAndGet(time.toNanos());
    }

    /** Simulates a sleep: the wall clock and BOOTTIME advance, the monotonic clock does not. */
    public void sleepMachine(Duration time) {
        stepWall(time);
        slept.addAndGet(time.toNanos());
    }

    /** Sets the wall clock forward or back. */
    public void stepWall(Duration time) {
        wall.addAndGet(time.toNanos());
    }
}
