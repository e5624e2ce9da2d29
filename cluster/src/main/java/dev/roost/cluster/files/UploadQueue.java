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
 * Which run is next. What grew waits for the next beat, so that a run that prints all the time is not sent line by line; who
 * has more than its share, and who is waited for, goes round and round without waiting.
 */
final class UploadQueue {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LinkedHashSet<RunId> pending = new LinkedHashSet<>();
    private final LinkedHashSet<RunId> ready = new LinkedHashSet<>();
    private final Clock clock;
    private final long beat;
    private long nextBeat;
    private long pausedUntil;
    private boolean closed;

    UploadQueue(Clock clock, Duration beat) {
        this.clock = clock;
        this.beat = beat.toNanos();
        this.nextBeat = clock.monotonicNanos();
        this.pausedUntil = nextBeat;
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

    /** They have more to send. */
    void requeue(Collection<RunId> runs) {
        lock.lock();
        try {
            if (ready.addAll(runs)) changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Nobody is next for this long. */
    void pause(Duration time) {
        lock.lock();
        try {
            pausedUntil = clock.monotonicNanos() + time.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** The next runs in turn, once there are any; none if closed. */
    List<RunId> next(int most) throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                long now = clock.monotonicNanos();
                if (!pending.isEmpty() && nextBeat - now <= 0) {
                    ready.addAll(pending);
                    pending.clear();
                    nextBeat = now + beat;
                }
                if (!ready.isEmpty() && pausedUntil - now <= 0) return take(most);
                if (!ready.isEmpty()) changed.awaitNanos(pausedUntil - now);
                else if (!pending.isEmpty()) changed.awaitNanos(nextBeat - now);
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
