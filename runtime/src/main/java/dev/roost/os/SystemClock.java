package dev.roost.os;

import dev.roost.base.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The clocks of this machine. */
public final class SystemClock implements Clock {

    @Override
    public Instant now() {
        return Instant.now();
    }

    /** Whether {@code System.nanoTime} reads the kernel's monotonic clock, as all known JVMs do without promising it. */
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
