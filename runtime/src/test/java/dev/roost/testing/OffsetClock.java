package dev.roost.testing;

import dev.roost.base.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** Real time, for real agents need it, that can be hurried on by hand; the wall can be moved alone. */
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

    /** The wall goes on, the monotonic clock does not, and BOOTTIME shows it. */
    public void sleepMachine(Duration time) {
        stepWall(time);
        slept.addAndGet(time.toNanos());
    }

    /** Somebody set the wall clock. */
    public void stepWall(Duration time) {
        wall.addAndGet(time.toNanos());
    }
}
