package dev.roost.ledger;

import dev.roost.run.Broken;
import dev.roost.run.Clock;
import dev.roost.run.RoostError;
import dev.roost.run.RunId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The only thread that writes. It takes all waiting writes, runs each in a savepoint of one transaction, commits once
 * for all of them, and only then answers their callers.
 */
final class Writer implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Writer.class.getName());
    private static final int MOST_PER_COMMIT = 256;

    private final Handle handle;
    private final LinkedBlockingQueue<Write<?>> queue = new LinkedBlockingQueue<>();
    private final List<Consumer<Set<RunId>>> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<Meters>> news = new ArrayList<>(); // of this commit; the writing thread's own
    private final Clock clock;
    private final Thread thread;
    private volatile Meters meters = Meters.NONE;
    private volatile boolean closed;

    Writer(Handle handle, Clock clock) {
        this.handle = handle;
        this.clock = clock;
        this.thread = Thread.ofPlatform().name("roost-ledger").start(this::loop);
    }

    void onCommit(Consumer<Set<RunId>> listener) {
        listeners.add(listener);
    }

    void measuredBy(Meters meters) {
        this.meters = meters;
    }

    /** For a write to call: what the meters are told if and when it is durable. */
    void afterwards(Consumer<Meters> what) {
        news.add(what);
    }

    /** How many writes wait for a commit. */
    int waiting() {
        return queue.size();
    }

    /** Runs {@code work} and returns its answer once it is durable; {@code about} is told to the listeners. */
    <T> T write(RunId about, Function<Handle, T> work) {
        return submit(new Write<>(_ -> Set.of(about), work));
    }

    /** The same where only the work itself finds out which runs it is about. */
    <T> T writeAbout(Function<T, Collection<RunId>> about, Function<Handle, T> work) {
        return submit(new Write<>(about, work));
    }

    <T> T write(Function<Handle, T> work) {
        return submit(new Write<>(_ -> Set.of(), work));
    }

    private <T> T submit(Write<T> write) {
        if (closed) throw closedError();
        queue.add(write);
        if (closed && queue.remove(write)) throw closedError();
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
                if (closed) return;
                continue;
            }
            queue.drainTo(batch, MOST_PER_COMMIT - 1);
            commit(batch);
        }
    }

    private void commit(List<Write<?>> batch) {
        long began = clock.monotonicNanos();
        news.clear();
        try {
            handle.begin();
            for (var write : batch) run(write);
            handle.commit();
        } catch (Throwable e) { // the writer must go on, and nobody may wait for ever
            LOG.log(System.Logger.Level.ERROR, "commit of %d writes failed".formatted(batch.size()), e);
            try {
                if (handle.isInTransaction()) handle.rollback();
            } catch (RuntimeException rollback) {
                e.addSuppressed(rollback);
            }
            batch.forEach(write -> write.answer.completeExceptionally(explain(e)));
            tell(told -> told.failed(batch.size()));
            return;
        }
        var took = Duration.ofNanos(clock.monotonicNanos() - began);
        var touched = new LinkedHashSet<RunId>();
        for (var write : batch) touched.addAll(write.touched);
        for (var listener : listeners) {
            try {
                listener.accept(touched);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "commit listener failed", e);
            }
        }
        tell(told -> told.committed(batch.size(), took));
        news.forEach(this::tell);
        batch.forEach(Write::complete);
    }

    /** What a refused write had to tell has not happened. */
    private void run(Write<?> write) {
        int before = news.size();
        write.run(handle);
        if (write.refused != null) news.subList(before, news.size()).clear();
    }

    private void tell(Consumer<Meters> what) {
        try {
            what.accept(meters);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a meter failed", e);
        }
    }

    private static Throwable explain(Throwable e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            String message = String.valueOf(at.getMessage());
            if (message.contains("SQLITE_FULL")) {
                return new Broken(
                        "disk_full",
                        "The disk that holds the home is full, so nothing could be written.",
                        "Free some space and try again; what was accepted before is safe.");
            }
            if (message.contains("SQLITE_READONLY")) {
                return new Broken("home_read_only", "The ledger cannot be written.", "Make the home writable again.");
            }
        }
        return e;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (var left : queue) left.answer.completeExceptionally(closedError());
        handle.close();
    }

    private static final class Write<T> {
        private final Function<T, Collection<RunId>> about;
        private final Function<Handle, T> work;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private Collection<RunId> touched = Set.of();
        private @Nullable T value;
        private @Nullable RuntimeException refused;

        Write(Function<T, Collection<RunId>> about, Function<Handle, T> work) {
            this.about = about;
            this.work = work;
        }

        /** A refusal undoes this write alone; anything else is the database's and undoes the whole batch. */
        void run(Handle handle) {
            handle.savepoint("w");
            try {
                var answered = work.apply(handle);
                touched = about.apply(answered);
                value = answered;
                handle.releaseSavepoint("w");
            } catch (RoostError e) {
                handle.rollbackToSavepoint("w");
                refused = e;
            }
        }

        @SuppressWarnings("NullAway") // the work's own answer, null where T says so
        void complete() {
            if (refused != null) answer.completeExceptionally(refused);
            else answer.complete(value);
        }
    }
}
