package dev.roost.feed;

import dev.roost.model.RunId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Wakes those who wait for news of a run. Listen first, then look at the run, then wait: so no news is missed. */
public final class RunChangeListeners {

    private final Map<RunId, Set<RunListener>> listeners = new HashMap<>();
    private final Set<ChangedRuns> readers = ConcurrentHashMap.newKeySet();

    /** Hears of every change since it was made, until it is closed. */
    public final class RunListener implements AutoCloseable {
        private final RunId run;
        private final Semaphore news = new Semaphore(0);

        private RunListener(RunId run) {
            this.run = run;
        }

        /** Returns when there is news that was not waited for yet, or after {@code nanos}. */
        public void await(long nanos) throws InterruptedException {
            if (news.tryAcquire(nanos, TimeUnit.NANOSECONDS)) news.drainPermits();
        }

        @Override
        public void close() {
            synchronized (listeners) {
                var others = listeners.get(run);
                if (others != null && others.remove(this) && others.isEmpty()) listeners.remove(run);
            }
        }
    }

    public RunListener listen(RunId run) {
        var listener = new RunListener(run);
        synchronized (listeners) {
            listeners.computeIfAbsent(run, _ -> new HashSet<>()).add(listener);
        }
        return listener;
    }

    /** News of all runs, from now on. */
    public ChangedRuns ofAll() {
        return of(_ -> true);
    }

    /** The same, of some runs: the reader of one is not woken for all others. */
    public ChangedRuns of(Predicate<RunId> which) {
        var changedRuns = new ChangedRuns(which, readers::remove);
        readers.add(changedRuns);
        return changedRuns;
    }

    public void notifyListeners(RunId run) {
        for (var changedRuns : readers) changedRuns.add(run);
        synchronized (listeners) {
            for (var listener : listeners.getOrDefault(run, Set.of())) listener.news.release();
        }
    }
}
