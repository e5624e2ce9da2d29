package dev.roost.ledger.db;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The only thread that writes. It takes all waiting writes, runs them in one transaction, commits once for all of them, and
 * only then answers their callers. If the connection breaks during a commit, the writer reconnects and asks the database
 * whether the transaction was committed.
 */
public final class GroupCommitWriter implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(GroupCommitWriter.class.getName());
    private static final int MAX_PER_COMMIT = 256;
    private static final long RETRY_MILLIS = 200;
    private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(30);

    /** The lock key of a write that gives out slots. It sorts before all other keys, so it is always locked first. */
    public static final String CLAIM_LOCK = "!gate";

    private final LedgerDatabase database;
    private final LinkedBlockingQueue<PendingWrite<?>> queue = new LinkedBlockingQueue<>();
    private final CommitListeners commitListeners = new CommitListeners();
    private final Clock clock;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Optional<Thread> thread;
    private volatile FaultPoints faults = FaultPoints.NONE;

    // the state of the current commit, used by the writing thread only
    private final List<Consumer<LedgerMetrics>> metricUpdates = new ArrayList<>();
    private final List<LedgerDatabase.PendingEvent> events = new ArrayList<>();
    private final List<FaultPoints.Step> steps = new ArrayList<>();
    private final Set<Owner> noticed = new LinkedHashSet<>();
    private SqlConnection handle;

    /** Without its own thread, each write is one commit on the caller's thread, and there may be only one calling thread. */
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

    /** Within a write: records a step that the write makes durable. */
    public void step(FaultPoints.Step step) {
        steps.add(step);
    }

    /** Within a write: a metrics update for the time after the commit. */
    public void onDurable(Consumer<LedgerMetrics> update) {
        metricUpdates.add(update);
    }

    /** Within a write: records that this owner has a new notice. */
    public void noticed(Owner owner) {
        noticed.add(owner);
    }

    /** Within a write: adds an event, which gets its number with the commit. */
    public void addEvent(LedgerDatabase.PendingEvent event) {
        events.add(event);
    }

    /** Within a write that removes a run: discards the run's new events. */
    public void discardEvents(RunId run) {
        events.removeIf(event -> event.run().equals(run.text()));
    }

    /** How many writes wait for a commit. */
    public int waiting() {
        return queue.size();
    }

    /** Runs {@code work} and returns its answer once it is durable; the listeners are called with {@code about}. */
    public <T> T write(RunId about, Function<SqlConnection, T> work) {
        return write(Set.of(about.text()), _ -> Set.of(about), work);
    }

    /** The same with the locks of {@code keys}, for a write about an owner or about several runs. */
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
            throw ErrorCode.LEDGER_WRITE_FAILED.error("Writing to the ledger failed: %s.".formatted(e.getCause()));
        }
    }

    private boolean isClosed() {
        return closing.getCount() == 0;
    }

    static RoostError closedError() {
        return ErrorCode.LEDGER_CLOSED.error("The ledger is closed.");
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
            queue.drainTo(batch, MAX_PER_COMMIT - 1);
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
            } catch (Throwable e) { // the writer must continue, and every caller must get an answer
                rollBack(e);
                switch (database.explain(e)) {
                    case LedgerDatabase.CommitFailure.ConnectionLost _ -> {
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "the connection to the database is lost; %d writes wait".formatted(batch.size()));
                        if (!reconnect()) {
                            batch.forEach(write -> write.answer.completeExceptionally(closedError()));
                            return;
                        }
                        LOG.log(System.Logger.Level.INFO, "the database is reachable again");
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
                        if (batch.size() > 1) { // retry one by one, so that only the failing write fails
                            batch.forEach(write -> commit(List.of(write)));
                            return;
                        }
                        LOG.log(System.Logger.Level.ERROR, "a write failed", e);
                        batch.forEach(write -> write.answer.completeExceptionally(why));
                        commitListeners.updateMetrics(metrics -> metrics.failed(batch.size()));
                        return;
                    }
                }
            }
        }
    }

    /** A refused write undoes only itself. Refusals are rare, so savepoints are used only in a second pass after a refusal. */
    private void transact(List<PendingWrite<?>> batch, long mark) {
        var keys = new TreeSet<String>();
        for (var write : batch) keys.addAll(write.keys);
        for (boolean savepoints = false; ; savepoints = true) {
            metricUpdates.clear();
            events.clear();
            steps.clear();
            noticed.clear();
            handle.begin();
            database.lock(handle, keys, mark);
            boolean refused = false;
            for (var write : batch) {
                refused = !run(write, savepoints) || refused;
                if (refused && !savepoints) break;
            }
            if (refused && !savepoints) {
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

    /** Runs one write; false if it was refused, and then its events, steps and metrics are discarded. */
    private boolean run(PendingWrite<?> write, boolean savepoints) {
        int metricsBefore = metricUpdates.size();
        int eventsBefore = events.size();
        int stepsBefore = steps.size();
        if (savepoints) handle.savepoint("w");
        if (write.run(handle)) {
            if (savepoints) handle.releaseSavepoint("w");
            return true;
        }
        if (savepoints) handle.rollbackToSavepoint("w");
        metricUpdates.subList(metricsBefore, metricUpdates.size()).clear();
        events.subList(eventsBefore, events.size()).clear();
        steps.subList(stepsBefore, steps.size()).clear();
        return false;
    }

    private void rollBack(Throwable because) {
        try {
            if (handle.isInTransaction()) handle.rollback();
        } catch (RuntimeException e) {
            because.addSuppressed(e);
        }
    }

    /** Retries until the database is reachable; false if the ledger was closed meanwhile. */
    private boolean reconnect() {
        while (true) {
            failQueued();
            try {
                if (closing.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) return false;
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
                LOG.log(System.Logger.Level.DEBUG, "the database is still unreachable", e);
            }
        }
    }

    /** Fails queued writes after a timeout. None of them has started, so the error is certain; attempt loops retry theirs. */
    private void failQueued() {
        long now = clock.monotonicNanos();
        for (var write : queue) {
            if (now - write.since < QUEUE_TIMEOUT.toNanos() || !queue.remove(write)) continue;
            write.answer.completeExceptionally(unreachable());
        }
    }

    static RoostError unreachable() {
        return ErrorCode.LEDGER_AWAY.error("The database that holds the ledger cannot be reached.");
    }

    /** Asks the database, over a new connection, whether the transaction with this mark was committed. */
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
        commitListeners.updateMetrics(metrics -> metrics.committed(batch.size(), took));
        metricUpdates.forEach(commitListeners::updateMetrics);
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
        for (var write : queue) write.answer.completeExceptionally(closedError());
        handle.close();
    }

    /** One queued write: its lock keys, its work, and the future of its answer. */
    private static final class PendingWrite<T> {
        final long since;
        final Set<String> keys;
        private final Function<T, Collection<RunId>> about;
        private final Function<SqlConnection, T> work;
        final CompletableFuture<T> answer = new CompletableFuture<>();
        Collection<RunId> touched = Set.of();
        private @Nullable T value;
        private @Nullable RuntimeException refused;

        PendingWrite(
                Set<String> keys, Function<T, Collection<RunId>> about, Function<SqlConnection, T> work, long since) {
            this.since = since;
            this.keys = keys;
            this.about = about;
            this.work = work;
        }

        /** Runs the write; false if it was refused. Any other exception comes from the database and undoes the whole batch. */
        boolean run(SqlConnection handle) {
            refused = null;
            touched = Set.of();
            try {
                var answered = work.apply(handle);
                touched = about.apply(answered);
                value = answered;
                return true;
            } catch (RoostError e) {
                refused = e;
                return false;
            }
        }

        @SuppressWarnings("NullAway") // the answer of the work may be null if T is nullable
        void complete() {
            if (refused != null) answer.completeExceptionally(refused);
            else answer.complete(value);
        }
    }
}
