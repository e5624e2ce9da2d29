package dev.roost.worktrees;

import dev.roost.base.Broken;
import dev.roost.model.RunId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** One lock per run. */
public final class RunLocks {

    /** Entries are never removed: otherwise two threads could hold different locks of the same run. */
    private final Map<RunId, ReentrantLock> locks = new ConcurrentHashMap<>();

    public interface RunLock extends AutoCloseable {
        @Override
        void close();
    }

    public RunLock lock(RunId run) {
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
