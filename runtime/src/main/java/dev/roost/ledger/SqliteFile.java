package dev.roost.ledger;

import dev.roost.run.Broken;
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
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** The file behind the ledger: how it is opened, checked and brought up to date. */
final class SqliteFile implements Store {

    /** No package has such a name, so its files can be read from outside when this is a module. */
    private static final String MIGRATIONS = "classpath:dev/roost/ledger/sqlite-migrations";

    private static final Duration LOOKED_AT_START = Duration.ofMillis(300);
    private static final int STEPS_BETWEEN_LOOKS = 10_000;

    private static final FileAttribute<Set<PosixFilePermission>> OWN =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path file;

    SqliteFile(Path file) {
        this.file = file;
    }

    void migrate() {
        boolean existed = Files.exists(file);
        try {
            if (existed) {
                damage(LOOKED_AT_START).ifPresent(detail -> {
                    throw broken(detail);
                });
            }
            var flyway = Flyway.configure()
                    .dataSource(source(SQLiteConfig.TransactionMode.IMMEDIATE))
                    .locations(MIGRATIONS)
                    .validateMigrationNaming(true)
                    .load();
            MigrationInfo current = flyway.info().current();
            if (current != null && current.getState().name().startsWith("FUTURE")) {
                throw new Broken(
                        "ledger_newer",
                        "The ledger %s was written by a newer Roost (schema %s).".formatted(file, current.getVersion()),
                        "Use that version of Roost, or another ROOST_HOME. The ledger was not touched.");
            }
            if (current != null && flyway.info().pending().length > 0) {
                backUp(Path.of(file + ".v" + current.getVersion() + ".bak"));
            }
            flyway.migrate();
        } catch (FlywayException e) {
            throw broken(String.valueOf(e.getMessage()).strip());
        }
    }

    /** A whole ledger in a new file, also while this one is written to; what was there before stays until it is whole. */
    @Override
    public void backUp(Path copy) {
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
            throw new Broken(
                    "backup_failed",
                    "The back-up %s cannot be written: %s.".formatted(copy, e.getMessage()),
                    "Choose another place, and check the disk.");
        }
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
        return damage(Duration.ofDays(1));
    }

    /** As far as it can be looked through in that time: of a ledger of years nobody waits for the whole at every start. */
    private Optional<String> damage(Duration patience) {
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
        } catch (SQLException | RuntimeException e) {
            String message = String.valueOf(e.getMessage());
            return message.contains("SQLITE_INTERRUPT") ? Optional.empty() : Optional.of(message);
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
        for (Throwable at = e; at != null; at = at.getCause()) {
            String message = String.valueOf(at.getMessage());
            if (message.contains("SQLITE_FULL")) {
                return new Failure.Final(new Broken(
                        "disk_full",
                        "The disk that holds the home is full, so nothing could be written.",
                        "Free some space and try again; what was accepted before is safe."));
            }
            if (message.contains("SQLITE_READONLY")) {
                return new Failure.Final(
                        new Broken("home_read_only", "The ledger cannot be written.", "Make the home writable again."));
            }
        }
        return new Failure.Final(e);
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
            // without it a Mac's disk may lose what it has taken; no other system knows it, and the driver misspells it
            handle.execute("PRAGMA fullfsync = true");
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
