package dev.roost.cluster.db;

import dev.roost.ledger.db.DatabaseFailure;
import dev.roost.ledger.db.SqlConnection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A machine that stops in the middle of a transaction keeps its locks, and its kernel keeps the connection: whoever takes
 * over from it would wait until it wakes. So its session is ended, and what it had not committed has not happened.
 */
public final class StuckSessionKiller {

    private static final System.Logger LOG = System.getLogger(StuckSessionKiller.class.getName());

    private final ConnectionSource database;
    private final Duration patience;

    public StuckSessionKiller(ConnectionSource database, Duration patience) {
        this.database = database;
        this.patience = patience;
    }

    /** Does the work; ends every session whose lock that handle has waited for this long. */
    public <T> T with(SqlConnection handle, Supplier<T> work) {
        int waiting = handle.select("SELECT pg_backend_pid()").one(SqlConnection::count);
        var done = new CountDownLatch(1);
        var watch = Thread.ofVirtual().name("roost-impatience").start(() -> watch(waiting, done));
        try {
            return work.get();
        } finally {
            done.countDown();
            join(watch); // else it might end a session that this handle waits for later, with good reason
        }
    }

    private void watch(int waiting, CountDownLatch done) {
        try {
            while (!done.await(patience.toNanos(), TimeUnit.NANOSECONDS)) end(waiting);
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
                LOG.log(System.Logger.Level.WARNING, "ended sessions of a node that stopped with locks: " + ended);
        } catch (DatabaseFailure e) {
            LOG.log(System.Logger.Level.WARNING, "who holds the lock could not be ended", e);
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
