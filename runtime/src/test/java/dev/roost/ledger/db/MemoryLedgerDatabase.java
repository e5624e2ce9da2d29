package dev.roost.ledger.db;

import dev.roost.base.Clock;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.LedgerContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** The default ledger's tables, with all constraints and triggers, in memory and for one thread. */
public final class MemoryLedgerDatabase implements LedgerDatabase {

    private static final List<String> TABLES =
            List.of("event", "delivery", "notice", "offer", "owner", "spend", "attempt", "run", "sqlite_sequence");

    private final SqliteDatabase dialect = new SqliteDatabase(Path.of("nowhere"));
    private final SqlConnection handle;
    private boolean noticesDelayed;

    public MemoryLedgerDatabase() {
        try {
            var file = Files.createTempFile("roost", ".db");
            Files.delete(file);
            new SqliteDatabase(file).migrate();
            var config = new SQLiteConfig();
            config.enforceForeignKeys(true);
            config.setGetGeneratedKeys(false);
            var source = new SQLiteDataSource(config);
            source.setUrl("jdbc:sqlite::memory:");
            var connection = source.getConnection();
            try (var restoring = connection.createStatement()) {
                restoring.executeUpdate("restore from " + file); // a command of the driver, not SQL
            }
            handle = new SqliteConnection(connection);
            Files.delete(file);
        } catch (IOException | SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A ledger in which each write is a commit on the caller's thread. */
    public Ledger ledger(Clock clock) {
        return new Ledger(
                new LedgerContext(this, new GroupCommitWriter(this, clock, false), new ReadConnections(this), clock));
    }

    public void empty() {
        if (handle.isInTransaction()) handle.rollback();
        for (var table : TABLES) handle.execute("DELETE FROM " + table);
    }

    /** From now on, notices are committed after the write that causes them. */
    public void delayNotices() {
        noticesDelayed = true;
        handle.execute("CREATE TEMP TABLE IF NOT EXISTS late AS SELECT * FROM notice WHERE 0");
        handle.execute("DELETE FROM late");
    }

    /** Writes the delayed notices after a commit. */
    public void writeDelayedNotices() {
        if (!noticesDelayed) return;
        handle.execute("INSERT INTO main.notice SELECT * FROM temp.late");
        handle.execute("DELETE FROM temp.late");
    }

    /** Discards the delayed notices after a crash. */
    public void discardDelayedNotices() {
        if (noticesDelayed) handle.execute("DELETE FROM temp.late");
    }

    @Override
    public void numberEvents(SqlConnection handle, List<PendingEvent> events) {
        dialect.numberEvents(handle, events);
        if (!noticesDelayed) return;
        handle.execute("INSERT INTO temp.late SELECT * FROM main.notice WHERE acked_at IS NULL AND offer IS NULL");
        handle.execute("DELETE FROM main.notice WHERE id IN (SELECT id FROM temp.late)");
    }

    @Override
    public CommitFailure explain(Throwable e) {
        if (e instanceof Error death) throw death; // simulates the death of the daemon
        return dialect.explain(e);
    }

    @Override
    public String node() {
        return dialect.node();
    }

    @Override
    public SqlConnection writing() {
        return handle;
    }

    @Override
    public SqlConnection reading() {
        return handle;
    }

    @Override
    public void lock(SqlConnection handle, Collection<String> keys, long mark) {}

    @Override
    public Set<String> lockAtOnce(SqlConnection handle, Collection<String> keys) {
        return dialect.lockAtOnce(handle, keys);
    }

    @Override
    public long newestEvent(SqlConnection handle) {
        return dialect.newestEvent(handle);
    }

    @Override
    public String indexHint(String index) {
        return dialect.indexHint(index);
    }

    @Override
    public String orderedJoin() {
        return dialect.orderedJoin();
    }

    @Override
    public String ownedCondition(String column) {
        return dialect.ownedCondition(column);
    }

    @Override
    public int writeProbe(SqlConnection handle) {
        return dialect.writeProbe(handle);
    }

    @Override
    public boolean isCommitted(SqlConnection handle, long mark) {
        return dialect.isCommitted(handle, mark);
    }

    @Override
    public void backUp(Path copy) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<String> damage() {
        return Optional.empty();
    }

    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public void close() {
        handle.close();
    }
}
