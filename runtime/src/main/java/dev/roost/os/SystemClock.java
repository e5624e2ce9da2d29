package dev.roost.os;

import dev.roost.base.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** This machine's clocks. */
public final class SystemClock implements Clock {

    @Override
    public Instant now() {
        return Instant.now();
    }

    /** Whether Java reads that very clock, as it does on every JVM we know: it says no more than that time passes. */
    private static final boolean SAME =
            Math.abs(System.nanoTime() - Kernel.here().monotonicNanos()) < TimeUnit.SECONDS.toNanos(1);

    @Override
    public long monotonicNanos() {
        return SAME ? System.nanoTime() : Kernel.here().monotonicNanos();
    }

    @Override
    public long sleptNanos() {
        return Kernel.here().sleptNanos();
    }
}
