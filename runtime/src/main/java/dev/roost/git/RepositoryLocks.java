package dev.roost.git;

import dev.roost.base.Broken;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Locks within this process: for a worktree, and inside that for its repository. An interrupt ends the wait. */
public final class RepositoryLocks {

    private static final ConcurrentHashMap<Path, ReentrantLock> HELD = new ConcurrentHashMap<>();

    private RepositoryLocks() {}

    public static RepositoryLock on(Path place) {
        var lock = HELD.computeIfAbsent(place.toAbsolutePath().normalize(), path -> new ReentrantLock());
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Broken("interrupted", "Waiting for %s was interrupted.".formatted(place), "Try again.");
        }
        return lock::unlock;
    }

    public interface RepositoryLock extends AutoCloseable {
        @Override
        void close();
    }
}
