package dev.roost.cluster;

import dev.roost.run.Clock;
import dev.roost.run.RunId;
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
final class ShippingQueue {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LinkedHashSet<RunId> grown = new LinkedHashSet<>();
    private final LinkedHashSet<RunId> ready = new LinkedHashSet<>();
    private final Clock clock;
    private final long beat;
    private long nextBeat;
    private long pausedUntil;
    private boolean closed;

    ShippingQueue(Clock clock, Duration beat) {
        this.clock = clock;
        this.beat = beat.toNanos();
        this.nextBeat = clock.monotonicNanos();
        this.pausedUntil = nextBeat;
    }

    void grew(RunId run) {
        lock.lock();
        try {
            if (grown.add(run) && grown.size() == 1) changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void hurry(RunId run) {
        again(List.of(run));
    }

    /** They have more to send. */
    void again(Collection<RunId> runs) {
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
                if (!grown.isEmpty() && nextBeat - now <= 0) {
                    ready.addAll(grown);
                    grown.clear();
                    nextBeat = now + beat;
                }
                if (!ready.isEmpty() && pausedUntil - now <= 0) return take(most);
                if (!ready.isEmpty()) changed.awaitNanos(pausedUntil - now);
                else if (!grown.isEmpty()) changed.awaitNanos(nextBeat - now);
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
