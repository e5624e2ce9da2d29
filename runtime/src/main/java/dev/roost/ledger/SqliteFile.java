package dev.roost.ledger;

import dev.roost.run.Broken;
import dev.roost.run.Words;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** The file behind the ledger: how it is opened, checked and brought up to date. */
final class SqliteFile implements Store {

    private static final System.Logger LOG = System.getLogger(SqliteFile.class.getName());

    /** No package has such a name, so its files can be read from outside when this is a module. */
    private static final String MIGRATIONS = "classpath:dev/roost/ledger/sqlite-migrations";

    private static final Duration LOOKED_AT_START = Duration.ofMillis(300);
    private static final int STEPS_BETWEEN_LOOKS = 10_000;
    private static final long LEAST_ROOM = 64 << 10; // what it takes to open a ledger

    private static final FileAttribute<Set<PosixFilePermission>> OWN =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path file;

    SqliteFile(Path file) {
        this.file = file;
    }

    void migrate() {
        SqliteLibrary.load();
        try {
            if (Files.exists(file)) {
                look(LOOKED_AT_START).ifPresent(detail -> {
                    throw broken(detail);
                });
            }
            var flyway = Flyway.configure()
                    .dataSource(source(SQLiteConfig.TransactionMode.IMMEDIATE))
                    .locations(MIGRATIONS)
                    .validateMigrationNaming(true)
                    .group(true) // all of them, or none
                    .load();
            var current = flyway.info().current();
            if (current != null && current.getState().name().startsWith("FUTURE")) throw newer(flyway, current);
            if (current != null && flyway.info().pending().length > 0) upgrade(flyway, current);
            else flyway.migrate();
        } catch (FlywayException | SQLException | SqlFailure e) {
            if (explain(e) instanceof Failure.Final(Broken known)) throw known;
            throw broken(String.valueOf(e.getMessage()).strip());
        }
    }

    /** After a copy was made, to go back to. */
    private void upgrade(Flyway flyway, MigrationInfo current) {
        var before = Path.of(file + ".v" + current.getVersion() + ".bak");
        try {
            copy(before);
        } catch (IOException | RuntimeException e) {
            throw new Broken(
                    isFull(e) ? "disk_full" : "backup_failed",
                    "The back-up %s, which is made before an upgrade, cannot be written: %s.".formatted(before, why(e)),
                    isFull(e)
                            ? "Free some space and start again; the ledger was not touched."
                            : "Make the home writable, and check its disk; the ledger was not touched.");
        }
        try {
            flyway.migrate();
        } catch (FlywayException e) {
            if (!isFull(e)) throw e;
            throw new Broken(
                    "disk_full",
                    "The disk that holds the home is full, so the ledger could not be brought up to date.",
                    "Free some space and start again; the ledger is as it was, and so is its back-up %s."
                            .formatted(before));
        }
        LOG.log(
                System.Logger.Level.INFO,
                "the ledger was brought from schema {0} to {1}; as it was before, it is kept in {2}",
                current.getVersion(),
                flyway.info().current().getVersion(),
                before);
    }

    private Broken newer(Flyway flyway, MigrationInfo current) {
        var before = Stream.of(flyway.info().all())
                .filter(known -> !known.getState().name().startsWith("FUTURE"))
                .map(known -> Path.of(file + ".v" + known.getVersion() + ".bak"))
                .filter(Files::exists)
                .reduce((_, later) -> later);
        return new Broken(
                "ledger_newer",
                "The ledger %s was written by a newer Roost (schema %s).".formatted(file, current.getVersion()),
                "Use that version of Roost, or another ROOST_HOME. The ledger was not touched."
                        + before.map(
                                        " As it was before that version came, without the runs since: roost daemon restore %s."
                                                ::formatted)
                                .orElse(""));
    }

    /** A whole ledger in a new file, also while this one is written to; what was there before stays until it is whole. */
    @Override
    public void backUp(Path copy) {
        try {
            copy(copy);
        } catch (IOException | RuntimeException e) {
            throw new Broken(
                    "backup_failed",
                    "The back-up %s cannot be written: %s.".formatted(copy, why(e)),
                    "Choose another place, and check the disk.");
        }
    }

    private void copy(Path copy) throws IOException {
        var partial = Path.of(copy + ".partial");
        try (var handle = open(false)) {
            Files.deleteIfExists(partial);
            Files.createFile(partial, OWN); // it holds what every run said, and may lie anywhere
            handle.execute("VACUUM INTO ?", partial.toString());
            try (var written = FileChannel.open(partial, StandardOpenOption.WRITE)) {
                written.force(true);
            }
            Files.move(partial, copy, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException e) {
            discard(partial, e);
            throw e;
        }
    }

    private static String why(Exception e) {
        return e instanceof IOException io ? Words.why(io) : String.valueOf(e.getMessage());
    }

    private static void discard(Path partial, Exception because) {
        try {
            Files.deleteIfExists(partial);
        } catch (IOException e) {
            because.addSuppressed(e);
        }
    }

    @Override
    public Optional<String> damage() {
        try {
            return look(Duration.ofDays(1));
        } catch (SQLException | RuntimeException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** As far as it can be looked through in that time: of a ledger of years nobody waits for the whole at every start. */
    private Optional<String> look(Duration patience) throws SQLException {
        long until = System.nanoTime() + patience.toNanos();
        try (var handle = open(true)) {
            ProgressHandler.setHandler(handle.connection(), STEPS_BETWEEN_LOOKS, new ProgressHandler() {
                @Override
                protected int progress() {
                    return System.nanoTime() - until > 0 ? 1 : 0;
                }
            });
            String verdict = handle.select("PRAGMA quick_check(1)").one(Sql::text);
            return verdict.equals("ok") ? Optional.empty() : Optional.of(verdict);
        } catch (SqlFailure e) {
            if (String.valueOf(e.getMessage()).contains("SQLITE_INTERRUPT")) return Optional.empty();
            throw e;
        }
    }

    private Broken broken(String detail) {
        return new Broken(
                "ledger_broken",
                "The ledger %s cannot be opened: %s.".formatted(file, detail),
                "Nothing was changed. Restore a back-up of it, or move it away to begin a new one.");
    }

    /** How much of the disk it takes, with its write-ahead log. */
    @Override
    public long bytes() {
        return size(file) + size(Path.of(file + "-wal"));
    }

    @Override
    public String node() {
        return "";
    }

    /** There is one writer, and nobody beside it. */
    @Override
    public void lock(Sql handle, Collection<String> keys, long mark) {}

    @Override
    public Set<String> lockAtOnce(Sql handle, Collection<String> keys) {
        return Set.copyOf(keys);
    }

    @Override
    public void number(Sql handle, List<Happened> events) {
        handle.batch(
                "INSERT INTO event (run_id, attempt, at, kind, text) VALUES (?, ?, ?, ?, ?)",
                events.stream()
                        .map(event -> new Object[] {
                            event.run(),
                            event.attempt(),
                            event.at(),
                            event.kind().word(),
                            event.text()
                        })
                        .toList());
    }

    /** Of those that are gone, too: SQLite gives no number twice. */
    @Override
    public long newestEvent(Sql handle) {
        return handle.select("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
                .optional(Sql::number)
                .orElse(0L);
    }

    @Override
    public String by(String index) {
        return " INDEXED BY " + index;
    }

    @Override
    public String thenJoin() {
        return " CROSS JOIN ";
    }

    @Override
    public String oursToDo(String column) {
        return column + " = ?";
    }

    /** A number in the file's header that is nobody's: to change it is a whole write, through the log and onto the disk. */
    @Override
    public int touch(Sql handle) {
        int next = handle.select("PRAGMA user_version").one(Sql::count) + 1 & 0xffff;
        handle.execute("PRAGMA user_version = " + next);
        return next;
    }

    @Override
    public Failure explain(Throwable e) {
        if (isFull(e)) return new Failure.Final(Broken.full());
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (String.valueOf(at.getMessage()).contains("SQLITE_READONLY")) {
                return new Failure.Final(
                        new Broken("home_read_only", "The ledger cannot be written.", "Make the home writable again."));
            }
        }
        return new Failure.Final(e);
    }

    /** Of a log or an index that found no room the database says only that it could not be made. */
    private boolean isFull(Throwable e) {
        if (Broken.isFull(e)) return true;
        for (Throwable at = e; at != null; at = at.getCause()) {
            var message = String.valueOf(at.getMessage());
            if (message.contains("SQLITE_IOERR") || message.contains("SQLITE_CANTOPEN"))
                return file.toAbsolutePath().getParent().toFile().getUsableSpace() < LEAST_ROOM;
        }
        return false;
    }

    @Override
    public boolean isCommitted(Sql handle, long mark) {
        throw new IllegalStateException("a file has no connection that could be lost");
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0; // there is no log at this moment
        }
    }

    @Override
    public Sql writing() {
        return open(false);
    }

    @Override
    public Sql reading() {
        return open(true);
    }

    private Sql open(boolean readOnly) {
        try {
            var handle =
                    new SqliteSql(source(SQLiteConfig.TransactionMode.DEFERRED).getConnection());
            if (readOnly) handle.execute("PRAGMA query_only = true");
            return handle;
        } catch (SQLException e) {
            throw new SqlFailure(e);
        }
    }

    private SQLiteDataSource source(SQLiteConfig.TransactionMode mode) {
        var config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setTransactionMode(mode);
        config.enforceForeignKeys(true);
        config.setBusyTimeout(10_000);
        config.setGetGeneratedKeys(false); // it would look for them after every statement
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }
}
