package dev.roost.ledger.db;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Connections to read with, so that no read waits for a write. */
public final class ReadConnections implements AutoCloseable {

    private static final int CONNECTIONS = 4;

    private final BlockingQueue<SqlConnection> idle = new ArrayBlockingQueue<>(CONNECTIONS);
    private volatile boolean closed;

    private final LedgerDatabase database;

    public ReadConnections(LedgerDatabase database) {
        this.database = database;
        for (int i = 0; i < CONNECTIONS; i++) idle.add(database.reading());
    }

    public <T> T with(Function<SqlConnection, T> work) {
        SqlConnection handle;
        try {
            handle = closed ? null : idle.poll(1, TimeUnit.SECONDS);
            while (handle == null) {
                if (closed) throw GroupCommitWriter.closedError();
                handle = idle.poll(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting to read the ledger", e);
        }
        try {
            return work.apply(handle);
        } catch (RuntimeException e) {
            if (!database.isConnectionLost(e)) throw e;
            handle = another(handle);
            return again(work, handle);
        } finally {
            idle.add(handle);
        }
    }

    private <T> T again(Function<SqlConnection, T> work, SqlConnection handle) {
        try {
            return work.apply(handle);
        } catch (RuntimeException e) {
            if (!database.isConnectionLost(e)) throw e;
            var away = GroupCommitWriter.unreachable();
            away.initCause(e);
            throw away;
        }
    }

    /** In place of a connection that broke; the broken one itself if there is none to be had. */
    private SqlConnection another(SqlConnection broken) {
        try {
            var fresh = database.reading();
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
