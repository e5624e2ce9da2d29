package dev.roost.cli.client;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C, or a polite kill: what goes on is told to end, and the program stays until it has cleaned up. */
public final class InterruptHandler implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final CountDownLatch clean = new CountDownLatch(1);
    private volatile Runnable end = () -> {};

    public InterruptHandler() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::end));
    }

    /** How what goes on now is told. */
    public void onInterrupt(Runnable told) {
        end = told;
    }

    private void end() {
        if (clean.getCount() == 0) return;
        end.run();
        try {
            if (!clean.await(PATIENCE_SECONDS, TimeUnit.SECONDS))
                System.err.println("roost: something of it may be left");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Everything is cleaned up. */
    @Override
    public void close() {
        clean.countDown();
    }
}
