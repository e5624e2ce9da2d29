package dev.roost.cli.client;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** On Ctrl-C or SIGTERM, stops the current activity and delays the exit until it has cleaned up. */
public final class InterruptHandler implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final CountDownLatch clean = new CountDownLatch(1);
    private volatile Runnable end = () -> {};

    public InterruptHandler() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::end));
    }

    /** Sets what to run on an interrupt. */
    public void onInterrupt(Runnable stop) {
        end = stop;
    }

    private void end() {
        if (clean.getCount() == 0) return;
        end.run();
        try {
            if (!clean.await(PATIENCE_SECONDS, TimeUnit.SECONDS))
                System.err.println("roost: cleanup timed out; files or processes may remain");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reports that the cleanup is complete. */
    @Override
    public void close() {
        clean.countDown();
    }
}
