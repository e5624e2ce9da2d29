package dev.roost.ledger;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Connections to read with, so that no read waits for a write. */
final class Reader implements AutoCloseable {

    private static final int CONNECTIONS = 4;

    private final BlockingQueue<Sql> idle = new ArrayBlockingQueue<>(CONNECTIONS);
    private volatile boolean closed;

    private final Store store;

    Reader(Store store) {
        this.store = store;
        for (int i = 0; i < CONNECTIONS; i++) idle.add(store.reading());
    }

    <T> T with(Function<Sql, T> work) {
        Sql handle;
        try {
            handle = closed ? null : idle.poll(1, TimeUnit.SECONDS);
            while (handle == null) {
                if (closed) throw Writer.closedError();
                handle = idle.poll(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting to read the ledger", e);
        }
        try {
            return work.apply(handle);
        } catch (RuntimeException e) {
            if (!store.isCut(e)) throw e;
            handle = another(handle);
            return again(work, handle);
        } finally {
            idle.add(handle);
        }
    }

    private <T> T again(Function<Sql, T> work, Sql handle) {
        try {
            return work.apply(handle);
        } catch (RuntimeException e) {
            if (!store.isCut(e)) throw e;
            var away = Writer.away();
            away.initCause(e);
            throw away;
        }
    }

    /** In place of a connection that broke; the broken one itself if there is none to be had. */
    private Sql another(Sql broken) {
        try {
            var fresh = store.reading();
            broken.close();
            return fresh;
        } catch (RuntimeException e) {
            return broken;
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            // one that is being read with is waited for: a connection left open leaves the write-ahead log behind
            for (int i = 0; i < CONNECTIONS; i++) {
                var handle = idle.poll(5, TimeUnit.SECONDS);
                if (handle != null) handle.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
