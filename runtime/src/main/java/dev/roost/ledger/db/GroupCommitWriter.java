package dev.roost.ledger.db;

import dev.roost.base.Broken;
import dev.roost.base.Clock;
import dev.roost.base.FaultPoints;
import dev.roost.base.RoostError;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
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
public final class GroupCommitWriter implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(GroupCommitWriter.class.getName());
    private static final int MOST_PER_COMMIT = 256;
    private static final long BETWEEN_TRIES_MILLIS = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What a write is about if it is about who may run: it comes before all others. */
    public static final String CLAIM_LOCK = "!gate";

    private final LedgerDatabase database;
    private final LinkedBlockingQueue<PendingWrite<?>> queue = new LinkedBlockingQueue<>();
    private final CommitListeners commitListeners = new CommitListeners();
    private final Clock clock;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Optional<Thread> thread;
    private volatile FaultPoints faults = FaultPoints.NONE;

    // the writing thread's own, of this commit
    private final List<Consumer<LedgerMetrics>> news = new ArrayList<>();
    private final List<LedgerDatabase.PendingEvent> events = new ArrayList<>();
    private final List<FaultPoints.Step> steps = new ArrayList<>();
    private final Set<Owner> noticed = new LinkedHashSet<>();
    private SqlConnection handle;

    /** Without a thread of its own, each write is a commit on its caller's, of which there may be one only. */
    public GroupCommitWriter(LedgerDatabase database, Clock clock, boolean onItsOwnThread) {
        this.database = database;
        this.clock = clock;
        this.handle = database.writing();
        this.thread = onItsOwnThread
                ? Optional.of(Thread.ofPlatform().name("roost-ledger").start(this::loop))
                : Optional.empty();
    }

    public CommitListeners listeners() {
        return commitListeners;
    }

    public void setFaultPoints(FaultPoints faults) {
        this.faults = faults;
    }

    /** For a write to call: this is what it makes durable. */
    public void step(FaultPoints.Step step) {
        steps.add(step);
    }

    /** For a write to call: what the meters are told if and when it is durable. */
    public void onDurable(Consumer<LedgerMetrics> what) {
        news.add(what);
    }

    /** For a write to call: this owner has a notice. */
    public void noticed(Owner owner) {
        noticed.add(owner);
    }

    /** For a write to call: what happened gets its number with the commit. */
    public void addEvent(LedgerDatabase.PendingEvent event) {
        events.add(event);
    }

    /** For a write to call that removes a run: nothing has happened to it. */
    public void discardEvents(RunId run) {
        events.removeIf(event -> event.run().equals(run.text()));
    }

    /** How many writes wait for a commit. */
    public int waiting() {
        return queue.size();
    }

    /** Runs {@code work} and returns its answer once it is durable; {@code about} is told to the listeners. */
    public <T> T write(RunId about, Function<SqlConnection, T> work) {
        return write(Set.of(about.text()), _ -> Set.of(about), work);
    }

    /** The same for what is about an owner too, or about more than a run. */
    public <T> T write(Set<String> keys, Function<T, Collection<RunId>> about, Function<SqlConnection, T> work) {
        return submit(new PendingWrite<>(keys, about, work, clock.monotonicNanos()));
    }

    public <T> T write(Owner about, Function<SqlConnection, T> work) {
        return write(Set.of(about.id()), _ -> Set.of(), work);
    }

    public <T> T write(Function<SqlConnection, T> work) {
        return write(Set.of(), _ -> Set.of(), work);
    }

    private <T> T submit(PendingWrite<T> write) {
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
        var batch = new ArrayList<PendingWrite<?>>();
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

    private void commit(List<PendingWrite<?>> batch) {
        long began = clock.monotonicNanos();
        while (true) {
            long mark = ThreadLocalRandom.current().nextLong();
            try {
                transact(batch, mark);
                committed(batch, Duration.ofNanos(clock.monotonicNanos() - began));
                return;
            } catch (Throwable e) { // the writer must go on, and nobody may wait for ever
                rollBack(e);
                switch (database.explain(e)) {
                    case LedgerDatabase.CommitFailure.ConnectionLost _ -> {
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
                    case LedgerDatabase.CommitFailure.Retryable _ -> {
                        if (batch.size() > 1) {
                            batch.forEach(write -> commit(List.of(write)));
                            return;
                        }
                    }
                    case LedgerDatabase.CommitFailure.Permanent(var why) -> {
                        if (batch.size() > 1) { // only the one to blame is to fail
                            batch.forEach(write -> commit(List.of(write)));
                            return;
                        }
                        LOG.log(System.Logger.Level.ERROR, "a write failed", e);
                        batch.forEach(write -> write.answer.completeExceptionally(why));
                        commitListeners.tell(told -> told.failed(batch.size()));
                        return;
                    }
                }
            }
        }
    }

    /** Whoever refuses undoes its own write alone; but most do not, so only then is each write made a part of its own. */
    private void transact(List<PendingWrite<?>> batch, long mark) {
        var keys = new TreeSet<String>();
        for (var write : batch) keys.addAll(write.keys);
        for (boolean apart = false; ; apart = true) {
            news.clear();
            events.clear();
            steps.clear();
            noticed.clear();
            handle.begin();
            database.lock(handle, keys, mark);
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
            if (!events.isEmpty()) database.numberEvents(handle, events);
            faults.before(steps);
            handle.commit();
            return;
        }
    }

    /** False if it refused: what it had to tell has not happened. */
    private boolean run(PendingWrite<?> write, boolean apart) {
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
            failQueued();
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
                handle = database.writing();
                return true;
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.DEBUG, "the database is still away", e);
            }
        }
    }

    /** What nobody has begun to write can be refused for sure; whoever leads an attempt comes again with it. */
    private void failQueued() {
        long now = clock.monotonicNanos();
        for (var write : queue) {
            if (now - write.since < PATIENCE.toNanos() || !queue.remove(write)) continue;
            write.answer.completeExceptionally(unreachable());
        }
    }

    static Broken unreachable() {
        return new Broken(
                "ledger_away",
                "The database that holds the ledger cannot be reached.",
                "Agents go on meanwhile. Look at the database and the network to it, and try again.");
    }

    /** Its connection broke, so nobody has said what became of it; the database knows. */
    private boolean wasCommitted(long mark) {
        while (true) {
            try {
                return database.isCommitted(handle, mark);
            } catch (RuntimeException e) {
                if (!reconnect()) return false;
            }
        }
    }

    private void committed(List<PendingWrite<?>> batch, Duration took) {
        faults.after(steps);
        var touched = new LinkedHashSet<RunId>();
        for (var write : batch) touched.addAll(write.touched);
        commitListeners.committed(touched, noticed);
        commitListeners.tell(told -> told.committed(batch.size(), took));
        news.forEach(commitListeners::tell);
        batch.forEach(PendingWrite::complete);
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
