package dev.roost.git;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A {@code git gc} that is under way: it may have decided what is in use before our ref was there. */
public final class GcGuard {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration A_MOMENT = Duration.ofMillis(20);

    private GcGuard() {}

    /** Waits until the one that is at work in this repository has come to its end; not for ever. */
    public static void await(Path common) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (isAtWork(common)
                && System.nanoTime() < until
                && !Thread.currentThread().isInterrupted()) LockSupport.parkNanos(A_MOMENT.toNanos());
    }

    /** By the file in which it says so; one that was killed leaves it behind. */
    private static boolean isAtWork(Path common) {
        try {
            var words = Files.readString(common.resolve("gc.pid")).strip().split(" ", 2);
            return ProcessHandle.of(Long.parseLong(words[0])).isPresent();
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }
}
