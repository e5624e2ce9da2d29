package dev.roost.ledger;

import dev.roost.run.Broken;
import dev.roost.run.Clock;
import dev.roost.run.Faults;
import dev.roost.run.Owner;
import dev.roost.run.RoostError;
import dev.roost.run.RunId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The only thread that writes. It takes all waiting writes, runs them in one transaction, commits once for all of them, and
 * only then answers their callers. What a database that went away leaves unanswered is asked for when it is back.
 */
final class Writer implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Writer.class.getName());
    private static final int MOST_PER_COMMIT = 256;
    private static final long BETWEEN_TRIES_MILLIS = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What a write is about if it is about who may run: it comes before all others. */
    static final String GATE = "!gate";

    private final Store store;
    private final LinkedBlockingQueue<Write<?>> queue = new LinkedBlockingQueue<>();
    private final Listeners listeners = new Listeners();
    private final Clock clock;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Optional<Thread> thread;
    private volatile Faults faults = Faults.NONE;

    // the writing thread's own, of this commit
    private final List<Consumer<Meters>> news = new ArrayList<>();
    private final List<Store.Happened> events = new ArrayList<>();
    private final List<Faults.Step> steps = new ArrayList<>();
    private final Set<Owner> noticed = new LinkedHashSet<>();
    private Sql handle;

    /** Without a thread of its own, each write is a commit on its caller's, of which there may be one only. */
    Writer(Store store, Clock clock, boolean onItsOwnThread) {
        this.store = store;
        this.clock = clock;
        this.handle = store.writing();
        this.thread = onItsOwnThread
                ? Optional.of(Thread.ofPlatform().name("roost-ledger").start(this::loop))
                : Optional.empty();
    }

    Listeners listeners() {
        return listeners;
    }

    void disturbedBy(Faults faults) {
        this.faults = faults;
    }

    /** For a write to call: this is what it makes durable. */
    void step(Faults.Step step) {
        steps.add(step);
    }

    /** For a write to call: what the meters are told if and when it is durable. */
    void afterwards(Consumer<Meters> what) {
        news.add(what);
    }

    /** For a write to call: this owner has a notice. */
    void noticed(Owner owner) {
        noticed.add(owner);
    }

    /** For a write to call: what happened gets its number with the commit. */
    void happened(Store.Happened event) {
        events.add(event);
    }

    /** For a write to call that removes a run: nothing has happened to it. */
    void forget(RunId run) {
        events.removeIf(event -> event.run().equals(run.text()));
    }

    /** How many writes wait for a commit. */
    int waiting() {
        return queue.size();
    }

    /** Runs {@code work} and returns its answer once it is durable; {@code about} is told to the listeners. */
    <T> T write(RunId about, Function<Sql, T> work) {
        return write(Set.of(about.text()), _ -> Set.of(about), work);
    }

    /** The same for what is about an owner too, or about more than a run. */
    <T> T write(Set<String> keys, Function<T, Collection<RunId>> about, Function<Sql, T> work) {
        return submit(new Write<>(keys, about, work, clock.monotonicNanos()));
    }

    <T> T write(Owner about, Function<Sql, T> work) {
        return write(Set.of(about.id()), _ -> Set.of(), work);
    }

    <T> T write(Function<Sql, T> work) {
        return write(Set.of(), _ -> Set.of(), work);
    }

    private <T> T submit(Write<T> write) {
        if (isClosed()) throw closedError();
        if (thread.isEmpty()) commit(List.of(write));
        else queue.add(write);
        if (isClosed() && queue.remove(write)) throw closedError();
        try {
            return write.answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RoostError known) throw known;
            throw new Broken(
                    "ledger_write_failed",
                    "The ledger could not be written: %s.".formatted(e.getCause()),
                    "Look at logs/daemon.0.log in the home; check the disk.");
        }
    }

    private boolean isClosed() {
        return closing.getCount() == 0;
    }

    static Broken closedError() {
        return new Broken("ledger_closed", "The ledger is closed.", "The daemon is stopping; try again.");
    }

    private void loop() {
        var batch = new ArrayList<Write<?>>();
        while (true) {
            batch.clear();
            try {
                batch.add(queue.take());
            } catch (InterruptedException e) {
                if (isClosed()) return;
                continue;
            }
            queue.drainTo(batch, MOST_PER_COMMIT - 1);
            commit(batch);
        }
    }

    private void commit(List<Write<?>> batch) {
        long began = clock.monotonicNanos();
        while (true) {
            long mark = ThreadLocalRandom.current().nextLong();
            try {
                transact(batch, mark);
                committed(batch, Duration.ofNanos(clock.monotonicNanos() - began));
                return;
            } catch (Throwable e) { // the writer must go on, and nobody may wait for ever
                rollBack(e);
                switch (store.explain(e)) {
                    case Store.Failure.Cut _ -> {
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "the database is away; %d writes wait".formatted(batch.size()));
                        if (!reconnect()) {
                            batch.forEach(write -> write.answer.completeExceptionally(closedError()));
                            return;
                        }
                        LOG.log(System.Logger.Level.INFO, "the database is back");
                        if (wasCommitted(mark)) {
                            committed(batch, Duration.ofNanos(clock.monotonicNanos() - began));
                            return;
                        }
                    }
                    case Store.Failure.Again _ -> {
                        if (batch.size() > 1) {
                            batch.forEach(write -> commit(List.of(write)));
                            return;
                        }
                    }
                    case Store.Failure.Final(var why) -> {
                        if (batch.size() > 1) { // only the one to blame is to fail
                            batch.forEach(write -> commit(List.of(write)));
                            return;
                        }
                        LOG.log(System.Logger.Level.ERROR, "a write failed", e);
                        batch.forEach(write -> write.answer.completeExceptionally(why));
                        listeners.tell(told -> told.failed(batch.size()));
                        return;
                    }
                }
            }
        }
    }

    /** Whoever refuses undoes its own write alone; but most do not, so only then is each write made a part of its own. */
    private void transact(List<Write<?>> batch, long mark) {
        var keys = new TreeSet<String>();
        for (var write : batch) keys.addAll(write.keys);
        for (boolean apart = false; ; apart = true) {
            news.clear();
            events.clear();
            steps.clear();
            noticed.clear();
            handle.begin();
            store.lock(handle, keys, mark);
            boolean refused = false;
            for (var write : batch) {
                refused = !run(write, apart) || refused;
                if (refused && !apart) break;
            }
            if (refused && !apart) {
                handle.rollback();
                if (batch.size() == 1) return;
                continue;
            }
            if (!events.isEmpty()) store.number(handle, events);
            faults.before(steps);
            handle.commit();
            return;
        }
    }

    /** False if it refused: what it had to tell has not happened. */
    private boolean run(Write<?> write, boolean apart) {
        int before = news.size();
        int happened = events.size();
        int made = steps.size();
        if (apart) handle.savepoint("w");
        if (write.run(handle)) {
            if (apart) handle.releaseSavepoint("w");
            return true;
        }
        if (apart) handle.rollbackToSavepoint("w");
        news.subList(before, news.size()).clear();
        events.subList(happened, events.size()).clear();
        steps.subList(made, steps.size()).clear();
        return false;
    }

    private void rollBack(Throwable because) {
        try {
            if (handle.isInTransaction()) handle.rollback();
        } catch (RuntimeException e) {
            because.addSuppressed(e);
        }
    }

    /** False if the ledger was closed meanwhile. */
    private boolean reconnect() {
        while (true) {
            giveUpOnWhatWaits();
            try {
                if (closing.await(BETWEEN_TRIES_MILLIS, TimeUnit.MILLISECONDS)) return false;
            } catch (InterruptedException e) {
                if (isClosed()) return false;
            }
            try {
                handle.close();
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.DEBUG, "a broken connection was not closed", e);
            }
            try {
                handle = store.writing();
                return true;
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.DEBUG, "the database is still away", e);
            }
        }
    }

    /** What nobody has begun to write can be refused for sure; whoever leads an attempt comes again with it. */
    private void giveUpOnWhatWaits() {
        long now = clock.monotonicNanos();
        for (var write : queue) {
            if (now - write.since < PATIENCE.toNanos() || !queue.remove(write)) continue;
            write.answer.completeExceptionally(away());
        }
    }

    static Broken away() {
        return new Broken(
                "ledger_away",
                "The database that holds the ledger cannot be reached.",
                "Agents go on meanwhile. Look at the database and the network to it, and try again.");
    }

    /** Its connection broke, so nobody has said what became of it; the database knows. */
    private boolean wasCommitted(long mark) {
        while (true) {
            try {
                return store.isCommitted(handle, mark);
            } catch (RuntimeException e) {
                if (!reconnect()) return false;
            }
        }
    }

    private void committed(List<Write<?>> batch, Duration took) {
        faults.after(steps);
        var touched = new LinkedHashSet<RunId>();
        for (var write : batch) touched.addAll(write.touched);
        listeners.committed(touched, noticed);
        listeners.tell(told -> told.committed(batch.size(), took));
        news.forEach(listeners::tell);
        batch.forEach(Write::complete);
    }

    @Override
    public void close() {
        closing.countDown();
        thread.ifPresent(Thread::interrupt);
        try {
            if (thread.isPresent()) thread.get().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (var left : queue) left.answer.completeExceptionally(closedError());
        handle.close();
    }
}
