package dev.roost.os;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Polls at an interval while there is something to watch; then pauses until woken. */
final class Ticker implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Ticker.class.getName());

    private final Duration interval;
    private final BooleanSupplier poll;
    private final ScheduledExecutorService thread;
    private boolean ticking;

    /** {@code poll} returns whether there is more to watch. */
    Ticker(String name, Duration interval, BooleanSupplier poll) {
        this.interval = interval;
        this.poll = poll;
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    synchronized void wake() {
        if (ticking || thread.isShutdown()) return;
        ticking = true;
        next();
    }

    private void next() {
        var _ = thread.schedule(this::tick, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tick() {
        boolean more = true;
        try {
            more = poll.getAsBoolean();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a poll failed; polling goes on", e);
        }
        synchronized (this) {
            ticking = more && !thread.isShutdown();
            if (ticking) next();
        }
        if (!more) recheck();
    }

    /** Polls once more: a watch may have been added between the poll and the pause. */
    private void recheck() {
        if (poll.getAsBoolean()) wake();
    }

    @Override
    public void close() {
        synchronized (this) {
            thread.shutdownNow();
        }
        try {
            if (!thread.awaitTermination(1, TimeUnit.SECONDS))
                LOG.log(System.Logger.Level.WARNING, "a poll does not end");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
