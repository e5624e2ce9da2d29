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

/** Wakes threads that wait for changes of a run. Register the listener, then read the run, then wait: no change is missed. */
public final class RunChangeListeners {

    private final Map<RunId, Set<RunListener>> listeners = new HashMap<>();
    private final Set<ChangedRuns> readers = ConcurrentHashMap.newKeySet();

    /** Receives every change of a run from its creation until it is closed. */
    public final class RunListener implements AutoCloseable {
        private final RunId run;
        private final Semaphore changes = new Semaphore(0);

        private RunListener(RunId run) {
            this.run = run;
        }

        /** Returns after a change since the last call, or after {@code nanos}. */
        public void await(long nanos) throws InterruptedException {
            if (changes.tryAcquire(nanos, TimeUnit.NANOSECONDS)) changes.drainPermits();
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

    /** Changes of all runs, from now on. */
    public ChangedRuns ofAll() {
        return of(_ -> true);
    }

    /** Changes of some runs: the reader is not woken for other runs. */
    public ChangedRuns of(Predicate<RunId> filter) {
        var changedRuns = new ChangedRuns(filter, readers::remove);
        readers.add(changedRuns);
        return changedRuns;
    }

    public void notifyListeners(RunId run) {
        for (var changedRuns : readers) changedRuns.add(run);
        synchronized (listeners) {
            for (var listener : listeners.getOrDefault(run, Set.of())) listener.changes.release();
        }
    }
}
