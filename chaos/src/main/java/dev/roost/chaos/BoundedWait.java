package dev.roost.chaos;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits with an upper bound. */
public final class BoundedWait {

    private BoundedWait() {}

    static void millis(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            if (Thread.currentThread().isInterrupted()) return;
            LockSupport.parkNanos(left);
        }
    }

    /** False after a timeout. */
    public static boolean awaitCondition(BooleanSupplier condition, long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end || Thread.currentThread().isInterrupted()) return false;
            LockSupport.parkNanos(10_000_000);
        }
        return true;
    }
}
