package dev.roost.git;

import dev.roost.base.ErrorCode;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** One lock for each key, within this process. An interrupt ends the wait. */
public final class KeyedLocks<K> {

    /** For a worktree, and inside that for its repository. */
    private static final KeyedLocks<Path> PATHS = new KeyedLocks<>();

    /** Entries are never removed: otherwise two threads could hold different locks of the same key. */
    private final Map<K, ReentrantLock> locks = new ConcurrentHashMap<>();

    public interface KeyLock extends AutoCloseable {
        @Override
        void close();
    }

    public static KeyLock on(Path place) {
        return PATHS.lock(place.toAbsolutePath().normalize());
    }

    public KeyLock lock(K key) {
        var lock = locks.computeIfAbsent(key, _ -> new ReentrantLock());
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ErrorCode.INTERRUPTED.error("Waiting for %s was interrupted.".formatted(key));
        }
        return lock::unlock;
    }
}
