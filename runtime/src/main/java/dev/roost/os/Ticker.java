package dev.roost.os;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Looks again and again, for as long as there is something to look for; then it rests until it is woken. */
final class Ticker implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Ticker.class.getName());

    private final Duration every;
    private final BooleanSupplier look;
    private final ScheduledExecutorService thread;
    private boolean ticking;

    /** {@code look} says whether there is more to look for. */
    Ticker(String name, Duration every, BooleanSupplier look) {
        this.every = every;
        this.look = look;
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    synchronized void wake() {
        if (ticking || thread.isShutdown()) return;
        ticking = true;
        next();
    }

    private void next() {
        var _ = thread.schedule(this::tick, every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tick() {
        boolean more = true;
        try {
            more = look.getAsBoolean();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a look went wrong", e); // the next may not
        }
        synchronized (this) {
            ticking = more && !thread.isShutdown();
            if (ticking) next();
        }
        if (!more) recheck();
    }

    /** Something may have come between the look and the rest. */
    private void recheck() {
        if (look.getAsBoolean()) wake();
    }

    @Override
    public void close() {
        synchronized (this) {
            thread.shutdownNow();
        }
        try {
            if (!thread.awaitTermination(1, TimeUnit.SECONDS))
                LOG.log(System.Logger.Level.WARNING, "a look does not end");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
