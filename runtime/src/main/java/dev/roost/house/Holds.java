package dev.roost.house;

import dev.roost.run.Broken;
import dev.roost.run.RunId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** One at a time for each run. */
final class Holds {

    /** Never let go of: two who wait for different locks of one run would both have it. */
    private final Map<RunId, ReentrantLock> locks = new ConcurrentHashMap<>();

    interface Held extends AutoCloseable {
        @Override
        void close();
    }

    Held hold(RunId run) {
        var lock = locks.computeIfAbsent(run, _ -> new ReentrantLock());
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Broken("interrupted", "Waiting for %s was interrupted.".formatted(run), "Try again.");
        }
        return lock::unlock;
    }
}
