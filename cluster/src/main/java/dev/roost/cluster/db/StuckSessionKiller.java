package dev.roost.cluster.db;

import dev.roost.ledger.db.DatabaseFailure;
import dev.roost.ledger.db.SqlConnection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Ends database sessions that block a lock for too long. A machine that is suspended in the middle of a transaction keeps its
 * locks and its connection, so a takeover would wait until it wakes. Its uncommitted transaction is rolled back.
 */
public final class StuckSessionKiller {

    private static final System.Logger LOG = System.getLogger(StuckSessionKiller.class.getName());

    private final ConnectionSource database;
    private final Duration timeout;

    public StuckSessionKiller(ConnectionSource database, Duration timeout) {
        this.database = database;
        this.timeout = timeout;
    }

    /** Does the work; ends every session that blocks a lock of that handle for the whole timeout. */
    public <T> T with(SqlConnection handle, Supplier<T> work) {
        int waiting = handle.select("SELECT pg_backend_pid()").one(SqlConnection::count);
        var done = new CountDownLatch(1);
        var watch = Thread.ofVirtual().name("roost-impatience").start(() -> watch(waiting, done));
        try {
            return work.get();
        } finally {
            done.countDown();
            join(watch); // else it might end a session that blocks a later, unrelated statement
        }
    }

    private void watch(int waiting, CountDownLatch done) {
        try {
            while (!done.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) end(waiting);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end(int waiting) {
        try {
            var ended = database.with(handle -> handle.select(
                            "SELECT pid FROM unnest(pg_blocking_pids(?)) AS pid WHERE pg_terminate_backend(pid)",
                            waiting)
                    .list(SqlConnection::count));
            if (!ended.isEmpty())
                LOG.log(
                        System.Logger.Level.WARNING,
                        "ended database sessions that blocked a lock for too long: " + ended);
        } catch (DatabaseFailure e) {
            LOG.log(System.Logger.Level.WARNING, "the session that holds the lock could not be ended", e);
        }
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }
}
