package dev.roost.worktrees;

import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** One at a time, in this process: for a worktree, and inside that for its repository. */
final class Locks {

    private static final ConcurrentHashMap<Path, ReentrantLock> HELD = new ConcurrentHashMap<>();

    private Locks() {}

    static Held on(Path place) {
        var lock = HELD.computeIfAbsent(place.toAbsolutePath().normalize(), path -> new ReentrantLock());
        lock.lock();
        return lock::unlock;
    }

    interface Held extends AutoCloseable {
        @Override
        void close();
    }
}
