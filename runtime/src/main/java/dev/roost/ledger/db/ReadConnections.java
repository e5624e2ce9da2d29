package dev.roost.ledger.db;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A pool of read connections, so that no read waits for a write. */
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
            handle = reconnect(handle);
            return retry(work, handle);
        } finally {
            idle.add(handle);
        }
    }

    private <T> T retry(Function<SqlConnection, T> work, SqlConnection handle) {
        try {
            return work.apply(handle);
        } catch (RuntimeException e) {
            if (!database.isConnectionLost(e)) throw e;
            var unreachable = GroupCommitWriter.unreachable();
            unreachable.initCause(e);
            throw unreachable;
        }
    }

    /** Replaces a broken connection; returns the broken one if the database is unreachable. */
    private SqlConnection reconnect(SqlConnection broken) {
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
            // waits for connections in use: a connection left open leaves the write-ahead log behind
            for (int i = 0; i < CONNECTIONS; i++) {
                var handle = idle.poll(5, TimeUnit.SECONDS);
                if (handle != null) handle.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
