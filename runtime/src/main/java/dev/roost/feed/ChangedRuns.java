package dev.roost.feed;

import dev.roost.model.RunId;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Collects changed runs for one reader. It holds each run once, so a slow reader does not make it grow. */
public final class ChangedRuns implements AutoCloseable {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private final Consumer<ChangedRuns> onClose;
    private Set<RunId> changed = new LinkedHashSet<>();

    ChangedRuns(Consumer<ChangedRuns> onClose) {
        this.onClose = onClose;
    }

    void add(RunId run) {
        lock.lock();
        try {
            changed.add(run);
            notEmpty.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The runs that changed since the last call; waits up to {@code timeout} for the first one. */
    public Set<RunId> await(Duration timeout) throws InterruptedException {
        lock.lock();
        try {
            long left = timeout.toNanos();
            while (changed.isEmpty() && left > 0) left = notEmpty.awaitNanos(left);
            var runs = changed;
            changed = new LinkedHashSet<>();
            return runs;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        onClose.accept(this);
    }
}
