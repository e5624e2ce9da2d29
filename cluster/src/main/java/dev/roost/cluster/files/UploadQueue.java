package dev.roost.cluster.files;

import dev.roost.base.Clock;
import dev.roost.model.RunId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides which run is uploaded next. A run that grew waits for the next interval, so that its lines are sent together. A run
 * with more than its share, or with a pending flush, is ready at once.
 */
final class UploadQueue {

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

    synchronized void outputGrew(RunId run) {
        if (pending.add(run) && pending.size() == 1) notifyAll();
    }

    void prioritize(RunId run) {
        requeue(List.of(run));
    }

    /** Makes these runs ready at once. */
    synchronized void requeue(Collection<RunId> runs) {
        if (ready.addAll(runs)) notifyAll();
    }

    /** Returns no run for this long. */
    synchronized void pause(Duration time) {
        pausedUntil = clock.monotonicNanos() + time.toNanos();
    }

    /** Waits for the next runs; empty if closed. */
    synchronized List<RunId> next(int most) throws InterruptedException {
        while (!closed) {
            long now = clock.monotonicNanos();
            if (!pending.isEmpty() && nextInterval - now <= 0) {
                ready.addAll(pending);
                pending.clear();
                nextInterval = now + interval;
            }
            if (!ready.isEmpty() && pausedUntil - now <= 0) return take(most);
            if (!ready.isEmpty()) TimeUnit.NANOSECONDS.timedWait(this, pausedUntil - now);
            else if (!pending.isEmpty()) TimeUnit.NANOSECONDS.timedWait(this, nextInterval - now);
            else wait();
        }
        return List.of();
    }

    private List<RunId> take(int most) {
        var taken = new ArrayList<RunId>();
        while (taken.size() < most && !ready.isEmpty()) taken.add(ready.removeFirst());
        return taken;
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
