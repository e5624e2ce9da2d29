package dev.roost.git;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits for a running {@code git gc}, which may have listed the objects in use before a new ref existed. */
public final class GcGuard {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration A_MOMENT = Duration.ofMillis(20);

    private GcGuard() {}

    /** Waits until no {@code git gc} runs in this repository, or until a timeout. */
    public static void await(Path common) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (isAtWork(common)
                && System.nanoTime() < until
                && !Thread.currentThread().isInterrupted()) LockSupport.parkNanos(A_MOMENT.toNanos());
    }

    /** Reads {@code gc.pid}. A killed {@code git gc} leaves the file behind, so the process must exist. */
    private static boolean isAtWork(Path common) {
        try {
            var words = Files.readString(common.resolve("gc.pid")).strip().split(" ", 2);
            return ProcessHandle.of(Long.parseLong(words[0])).isPresent();
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }
}
