package dev.roost.cluster.files;

import dev.roost.base.Clock;
import dev.roost.model.RunId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Decides which run is uploaded next. A run that grew waits for the next interval, so that its lines are sent together. A run
 * with more than its share, or with a pending flush, is ready at once.
 */
final class UploadQueue {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LinkedHashSet<RunId> pending = new LinkedHashSet<>();
    private final LinkedHashSet<RunId> ready = new LinkedHashSet<>();
    private final Clock clock;
    private final long interval;
    private long nextInterval;
    private long pausedUntil;
    private boolean closed;

    UploadQueue(Clock clock, Duration interval) {
        this.clock = clock;
        this.interval = interval.toNanos();
        this.nextInterval = clock.monotonicNanos();
        this.pausedUntil = nextInterval;
    }

    void outputGrew(RunId run) {
        lock.lock();
        try {
            if (pending.add(run) && pending.size() == 1) changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void prioritize(RunId run) {
        requeue(List.of(run));
    }

    /** Makes these runs ready at once. */
    void requeue(Collection<RunId> runs) {
        lock.lock();
        try {
            if (ready.addAll(runs)) changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Returns no run for this long. */
    void pause(Duration time) {
        lock.lock();
        try {
            pausedUntil = clock.monotonicNanos() + time.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the next runs; empty if closed. */
    List<RunId> next(int most) throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                long now = clock.monotonicNanos();
                if (!pending.isEmpty() && nextInterval - now <= 0) {
                    ready.addAll(pending);
                    pending.clear();
                    nextInterval = now + interval;
                }
                if (!ready.isEmpty() && pausedUntil - now <= 0) return take(most);
                if (!ready.isEmpty()) changed.awaitNanos(pausedUntil - now);
                else if (!pending.isEmpty()) changed.awaitNanos(nextInterval - now);
                else changed.await();
            }
            return List.of();
        } finally {
            lock.unlock();
        }
    }

    private List<RunId> take(int most) {
        var taken = new ArrayList<RunId>();
        while (taken.size() < most && !ready.isEmpty()) taken.add(ready.removeFirst());
        return taken;
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}
