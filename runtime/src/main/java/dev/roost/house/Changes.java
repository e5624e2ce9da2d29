package dev.roost.house;

import dev.roost.run.RunId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Wakes those who wait for news of a run. Listen first, then look at the run, then wait: so no news is missed. */
final class Changes {

    private final Map<RunId, Set<Listener>> listeners = new HashMap<>();
    private final Set<News> readers = ConcurrentHashMap.newKeySet();

    /** Hears of every change since it was made, until it is closed. */
    final class Listener implements AutoCloseable {
        private final RunId run;
        private final Semaphore news = new Semaphore(0);

        private Listener(RunId run) {
            this.run = run;
        }

        /** Returns when there is news that was not waited for yet, or after {@code nanos}. */
        void await(long nanos) throws InterruptedException {
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

    Listener listen(RunId run) {
        var listener = new Listener(run);
        synchronized (listeners) {
            listeners.computeIfAbsent(run, _ -> new HashSet<>()).add(listener);
        }
        return listener;
    }

    /** News of all runs, from now on. */
    News ofAll() {
        return of(_ -> true);
    }

    /** The same, of some runs: the reader of one is not woken for all others. */
    News of(Predicate<RunId> which) {
        var news = new News(which, readers::remove);
        readers.add(news);
        return news;
    }

    void ring(RunId run) {
        for (var news : readers) news.add(run);
        synchronized (listeners) {
            for (var listener : listeners.getOrDefault(run, Set.of())) listener.news.release();
        }
    }
}
