package dev.roost.supervisor;

import dev.roost.run.Clock;
import java.time.Instant;

/** This machine's clocks. */
public final class SystemClock implements Clock {

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long monotonicNanos() {
        return Native.LINUX ? Native.monotonicNanos() : System.nanoTime();
    }

    @Override
    public long sleptNanos() {
        return Native.LINUX ? Math.max(0, Native.boottimeNanos() - Native.monotonicNanos()) : 0;
    }
}
