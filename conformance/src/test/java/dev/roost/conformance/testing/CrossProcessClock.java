package dev.roost.conformance.testing;

import dev.roost.base.Clock;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;

/** This machine's clocks, which a test can also advance by hand, in every process with the same file. */
final class CrossProcessClock implements Clock {

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int SLEPT = 0;
    private static final int PASSED = Long.BYTES;

    private final SystemClock real = new SystemClock();
    private final ByteBuffer moved;

    CrossProcessClock(Path file) throws IOException {
        try (var channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            moved = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * Long.BYTES);
        }
    }

    private long nanos(int which) {
        return (long) LONG.getVolatile(moved, which);
    }

    @Override
    public Instant now() {
        return real.now().plusNanos(nanos(SLEPT)).plusNanos(nanos(PASSED));
    }

    @Override
    public long monotonicNanos() {
        return real.monotonicNanos() + nanos(PASSED);
    }

    @Override
    public long sleptNanos() {
        return real.sleptNanos() + nanos(SLEPT);
    }

    void sleepMachine(Duration time) {
        LONG.setVolatile(moved, SLEPT, nanos(SLEPT) + time.toNanos());
    }

    /** Advances the time while the machine is awake. */
    void pass(Duration time) {
        LONG.setVolatile(moved, PASSED, nanos(PASSED) + time.toNanos());
    }
}
