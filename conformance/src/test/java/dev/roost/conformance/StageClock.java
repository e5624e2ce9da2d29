package dev.roost.conformance;

import dev.roost.run.Clock;
import dev.roost.supervisor.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** This machine's clocks, of which one may say that it slept. */
final class StageClock implements Clock {

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

    void sleepMachine(Duration time) {
        slept.addAndGet(time.toNanos());
    }
}
