package dev.roost.feed;

import dev.roost.model.RunId;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Which runs changed. However slow its reader is, it holds each run once. */
public final class ChangedRuns implements AutoCloseable {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changedRuns = lock.newCondition();
    private final Predicate<RunId> filter;
    private final Consumer<ChangedRuns> onClose;
    private Set<RunId> changed = new LinkedHashSet<>();

    ChangedRuns(Predicate<RunId> which, Consumer<ChangedRuns> onClose) {
        this.filter = which;
        this.onClose = onClose;
    }

    void add(RunId run) {
        if (!filter.test(run)) return;
        lock.lock();
        try {
            changed.add(run);
            changedRuns.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The runs that changed since this was last asked; waits for the first one, up to {@code most}. */
    public Set<RunId> await(Duration most) throws InterruptedException {
        lock.lock();
        try {
            long left = most.toNanos();
            while (changed.isEmpty() && left > 0) left = changedRuns.awaitNanos(left);
            var now = changed;
            changed = new LinkedHashSet<>();
            return now;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        onClose.accept(this);
    }
}
