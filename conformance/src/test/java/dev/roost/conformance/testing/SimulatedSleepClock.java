package dev.roost.conformance.testing;

import dev.roost.base.Clock;
import dev.roost.os.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** This machine's clocks, with simulated sleep. */
public final class SimulatedSleepClock implements Clock {

    private final SystemClock real = new SystemClock();
    private final AtomicLong slept = new AtomicLong();

    @Override
    public Instant now() {
        return real.now().plusNanos(slept.get());
    }

    @Override
    public long monotonicNanos() {
        return real.monotonicNanos();
    }

    @Override
    public long sleptNanos() {
        return real.sleptNanos() + slept.get();
    }

    public void sleepMachine(Duration time) {
        slept.addAndGet(time.toNanos());
    }
}
