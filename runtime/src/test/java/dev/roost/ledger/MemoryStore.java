package dev.roost.ledger;

import dev.roost.run.Clock;
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

/** The rows of the default ledger, with all its constraints and triggers, in memory and for one thread. */
public final class MemoryStore implements Store {

    private static final List<String> TABLES =
            List.of("event", "delivery", "notice", "offer", "owner", "spend", "attempt", "run", "sqlite_sequence");

    private final SqliteFile dialect = new SqliteFile(Path.of("nowhere"));
    private final Sql handle;
    private boolean noticesComeLate;

    public MemoryStore() {
        try {
            var file = Files.createTempFile("roost", ".db");
            Files.delete(file);
            new SqliteFile(file).migrate();
            var config = new SQLiteConfig();
            config.enforceForeignKeys(true);
            config.setGetGeneratedKeys(false);
            var source = new SQLiteDataSource(config);
            source.setUrl("jdbc:sqlite::memory:");
            var connection = source.getConnection();
            try (var restoring = connection.createStatement()) {
                restoring.executeUpdate("restore from " + file); // no SQL, but the driver's own
            }
            handle = new SqliteSql(connection);
            Files.delete(file);
        } catch (IOException | SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Each write is a commit on the caller's thread. */
    public Ledger ledger(Clock clock) {
        return new Ledger(new Pen(this, new Writer(this, clock, false), clock), new Reader(this));
    }

    public void empty() {
        if (handle.isInTransaction()) handle.rollback();
        for (var table : TABLES) handle.execute("DELETE FROM " + table);
    }

    public int runs() {
        return handle.select("SELECT count(*) FROM run").one(Sql::count);
    }

    /** From now on no notice is committed with what it is about, but after it. */
    public void noticesComeLate() {
        noticesComeLate = true;
        handle.execute("CREATE TEMP TABLE IF NOT EXISTS late AS SELECT * FROM notice WHERE 0");
        handle.execute("DELETE FROM late");
    }

    /** What comes after a commit. */
    public void afterwards() {
        if (!noticesComeLate) return;
        handle.execute("INSERT INTO main.notice SELECT * FROM temp.late");
        handle.execute("DELETE FROM temp.late");
    }

    /** Nobody is left who would. */
    public void forgetWhatWasToCome() {
        if (noticesComeLate) handle.execute("DELETE FROM temp.late");
    }

    @Override
    public void number(Sql handle, List<Happened> events) {
        dialect.number(handle, events);
        if (!noticesComeLate) return;
        handle.execute("INSERT INTO temp.late SELECT * FROM main.notice WHERE acked_at IS NULL AND offer IS NULL");
        handle.execute("DELETE FROM main.notice WHERE id IN (SELECT id FROM temp.late)");
    }

    @Override
    public Failure explain(Throwable e) {
        if (e instanceof Error death) throw death; // of the whole daemon: there is nobody left to explain it to
        return dialect.explain(e);
    }

    @Override
    public String node() {
        return dialect.node();
    }

    @Override
    public Sql writing() {
        return handle;
    }

    @Override
    public Sql reading() {
        return handle;
    }

    @Override
    public void lock(Sql handle, Collection<String> keys, long mark) {}

    @Override
    public Set<String> lockAtOnce(Sql handle, Collection<String> keys) {
        return dialect.lockAtOnce(handle, keys);
    }

    @Override
    public long newestEvent(Sql handle) {
        return dialect.newestEvent(handle);
    }

    @Override
    public String by(String index) {
        return dialect.by(index);
    }

    @Override
    public String thenJoin() {
        return dialect.thenJoin();
    }

    @Override
    public String oursToDo(String column) {
        return dialect.oursToDo(column);
    }

    @Override
    public int touch(Sql handle) {
        return dialect.touch(handle);
    }

    @Override
    public boolean isCommitted(Sql handle, long mark) {
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
