package dev.roost;

import dev.roost.run.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** Real time, for real agents need it, that can be hurried on by hand; the wall can be moved alone. */
final class ShiftedClock implements Clock {

    private final AtomicLong wall = new AtomicLong();
    private final AtomicLong monotonic = new AtomicLong();

    @Override
    public Instant now() {
        return Instant.now().plusNanos(wall.get());
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime() + monotonic.get();
    }

    void pass(Duration time) {
        wall.addAndGet(time.toNanos());
        monotonic.addAndGet(time.toNanos());
    }

    /** What a step of the wall clock looks like, and, forwards, a machine that slept. */
    void stepWall(Duration time) {
        wall.addAndGet(time.toNanos());
    }
}
