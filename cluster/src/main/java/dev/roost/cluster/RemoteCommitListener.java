package dev.roost.cluster;

import dev.roost.ledger.Ledger;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.node.AttemptControl;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * Notices commits of other nodes. It polls the numbered events every second; a NOTIFY on a connection of its own, outside of
 * transactions and at a limited rate, only makes that happen sooner.
 */
final class RemoteCommitListener implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RemoteCommitListener.class.getName());
    private static final String CHANNEL = "roost";
    private static final int LISTEN_MILLIS = 1_000;
    private static final long BETWEEN_HINTS_MILLIS = 20;
    private static final long AFTER_TROUBLE_MILLIS = 500;

    private final DataSource source;
    private final Ledger ledger;
    private final String self;
    private final AttemptControl attempts;
    private final Runnable starts;
    private final Semaphore news = new Semaphore(0);
    private final Thread listener;
    private final Thread speaker;
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile boolean closed;
    private long lastSeq;

    RemoteCommitListener(DataSource source, Ledger ledger, String self, AttemptControl attempts, Runnable starts) {
        this.source = source;
        this.ledger = ledger;
        this.self = self;
        this.attempts = attempts;
        this.starts = starts;
        this.lastSeq = ledger.allEvents().newest();
        ledger.listeners().onOwnCommit(news::release);
        this.listener = Thread.ofPlatform().daemon().name("roost-hears").start(() -> runUntilClosed(this::listen));
        this.speaker = Thread.ofPlatform().daemon().name("roost-hints").start(() -> runUntilClosed(this::hint));
    }

    private interface ConnectionTask {
        void on(Connection connection) throws SQLException, InterruptedException;
    }

    private void runUntilClosed(ConnectionTask work) {
        while (!closed) {
            try (var connection = source.getConnection()) {
                while (!closed) work.on(connection);
            } catch (InterruptedException e) {
                return;
            } catch (SQLException | RuntimeException e) {
                if (closed) return;
                LOG.log(System.Logger.Level.DEBUG, "the database is away", e);
                if (!waitUnlessClosed(AFTER_TROUBLE_MILLIS)) return;
            }
        }
    }

    private boolean waitUnlessClosed(long millis) {
        try {
            return !closing.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private void listen(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("LISTEN " + CHANNEL);
        }
        var driver = connection.unwrap(PGConnection.class);
        while (!closed) {
            pollEvents();
            driver.getNotifications(LISTEN_MILLIS); // returns early with a hint
        }
    }

    private void hint(Connection connection) throws SQLException, InterruptedException {
        news.acquire();
        news.drainPermits();
        try (var statement = connection.createStatement()) {
            statement.execute("NOTIFY " + CHANNEL);
        }
        waitUnlessClosed(BETWEEN_HINTS_MILLIS);
    }

    /** Reads the events since the last poll, and informs the subscribers of their runs and owners. */
    private void pollEvents() {
        long newest = ledger.allEvents().newest();
        if (newest <= lastSeq) return;
        record Row(RunId run, Owner owner, boolean noticed, boolean claimed) {}
        var rows = ledger.read(handle -> handle.select("""
                        SELECT e.run_id, r.owner, bool_or(%s) AS noticed, bool_or(e.kind = 'claimed') AS claimed
                          FROM event e JOIN run r ON r.id = e.run_id
                         WHERE e.seq > ? AND e.seq <= ? AND e.node <> ? GROUP BY e.run_id, r.owner
                        """.formatted(Ledger.NOTICED), lastSeq, newest, self)
                .list(row -> new Row(
                        new RunId(row.getString("run_id")),
                        new Owner(row.getString("owner")),
                        row.getBoolean("noticed"),
                        row.getBoolean("claimed"))));
        if (rows.stream().anyMatch(Row::claimed)) starts.run();
        var runs = rows.stream().map(Row::run).collect(Collectors.toSet());
        var owners = rows.stream().filter(Row::noticed).map(Row::owner).collect(Collectors.toSet());
        if (!runs.isEmpty()) {
            ledger.listeners().announce(runs, owners);
            attempts.refresh(runs);
        }
        lastSeq = newest; // last, so that a failed poll is repeated
    }

    @Override
    public void close() {
        closed = true;
        closing.countDown();
        speaker.interrupt();
        listener.interrupt();
    }
}
