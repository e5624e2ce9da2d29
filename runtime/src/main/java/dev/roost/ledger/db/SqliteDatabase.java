package dev.roost.ledger.db;

import dev.roost.base.DiskErrors;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.flywaydb.core.api.FlywayException;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** The SQLite file of a ledger: opens, checks, migrates and backs it up. */
public final class SqliteDatabase implements LedgerDatabase {

    private static final Duration START_CHECK_TIMEOUT = Duration.ofMillis(300);
    private static final int STEPS_BETWEEN_TIMEOUT_CHECKS = 10_000;
    private static final long MIN_FREE_BYTES = 64 << 10; // the space that opening a ledger needs

    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path file;

    public SqliteDatabase(Path file) {
        this.file = file;
    }

    public void migrate() {
        SqliteLibrary.load();
        try {
            if (Files.exists(file)) {
                check(START_CHECK_TIMEOUT).ifPresent(detail -> {
                    throw broken(detail);
                });
            }
            new SqliteSchema(this, file).migrate(source(SQLiteConfig.TransactionMode.IMMEDIATE));
        } catch (FlywayException | SQLException | DatabaseFailure e) {
            if (explain(e) instanceof CommitFailure.Permanent(RoostError known)) throw known;
            throw broken(String.valueOf(e.getMessage()).strip());
        }
    }

    /** Copies the whole ledger to a file while it is in use; an existing file is replaced only by a complete copy. */
    @Override
    public void backUp(Path copy) {
        try {
            copy(copy);
        } catch (IOException | RuntimeException e) {
            throw ErrorCode.BACKUP_FAILED.error(
                    "The backup %s cannot be written: %s.".formatted(copy, TextFormat.why(e)),
                    "Choose another path, and check the disk.");
        }
    }

    void copy(Path copy) throws IOException {
        var partial = Path.of(copy + ".partial");
        try (var handle = open(false)) {
            Files.deleteIfExists(partial);
            Files.createFile(partial, PRIVATE); // it holds the results of all runs, and its directory may be public
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
            return check(Duration.ofDays(1));
        } catch (SQLException | RuntimeException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** Checks the file for damage until the timeout: the start of a daemon does not wait for the check of a large ledger. */
    private Optional<String> check(Duration timeout) throws SQLException {
        long until = System.nanoTime() + timeout.toNanos();
        try (var handle = open(true)) {
            ProgressHandler.setHandler(handle.connection(), STEPS_BETWEEN_TIMEOUT_CHECKS, new ProgressHandler() {
                @Override
                protected int progress() {
                    return System.nanoTime() - until > 0 ? 1 : 0;
                }
            });
            String verdict = handle.select("PRAGMA quick_check(1)").one(SqlConnection::text);
            return verdict.equals("ok") ? Optional.empty() : Optional.of(verdict);
        } catch (DatabaseFailure e) {
            if (String.valueOf(e.getMessage()).contains("SQLITE_INTERRUPT")) return Optional.empty();
            throw e;
        }
    }

    private RoostError broken(String detail) {
        return ErrorCode.LEDGER_BROKEN.error(
                "The ledger %s cannot be opened: %s.".formatted(file, detail),
                "Nothing was changed. Restore a backup, or move the file away to start with an empty ledger.");
    }

    /** The size of the file and its write-ahead log. */
    @Override
    public long bytes() {
        return size(file) + size(Path.of(file + "-wal"));
    }

    @Override
    public String node() {
        return "";
    }

    /** No locks are needed: there is only one writer. */
    @Override
    public void lock(SqlConnection handle, Collection<String> keys, long mark) {}

    @Override
    public Set<String> lockAtOnce(SqlConnection handle, Collection<String> keys) {
        return Set.copyOf(keys);
    }

    @Override
    public void numberEvents(SqlConnection handle, List<PendingEvent> events) {
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

    /** Includes deleted events: SQLite does not reuse a number. */
    @Override
    public long newestEvent(SqlConnection handle) {
        return handle.select("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
                .optional(SqlConnection::number)
                .orElse(0L);
    }

    @Override
    public String indexHint(String index) {
        return " INDEXED BY " + index;
    }

    @Override
    public String orderedJoin() {
        return " CROSS JOIN ";
    }

    @Override
    public String ownedCondition(String column) {
        return column + " = ?";
    }

    /** Increments the unused user_version in the file's header: a full write through the log to the disk. */
    @Override
    public int writeProbe(SqlConnection handle) {
        int next = handle.select("PRAGMA user_version").one(SqlConnection::count) + 1 & 0xffff;
        handle.execute("PRAGMA user_version = " + next);
        return next;
    }

    @Override
    public CommitFailure explain(Throwable e) {
        if (isFull(e)) return new CommitFailure.Permanent(DiskErrors.full());
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (String.valueOf(at.getMessage()).contains("SQLITE_READONLY")) {
                return new CommitFailure.Permanent(ErrorCode.HOME_READ_ONLY.error("The ledger cannot be written."));
            }
        }
        return new CommitFailure.Permanent(e);
    }

    /** Whether the disk is full. For a log or an index without space, SQLite reports only that it could not create the file. */
    boolean isFull(Throwable e) {
        if (DiskErrors.isFull(e)) return true;
        for (Throwable at = e; at != null; at = at.getCause()) {
            var message = String.valueOf(at.getMessage());
            if (message.contains("SQLITE_IOERR") || message.contains("SQLITE_CANTOPEN"))
                return Objects.requireNonNull(file.toAbsolutePath().getParent())
                                .toFile()
                                .getUsableSpace()
                        < MIN_FREE_BYTES;
        }
        return false;
    }

    @Override
    public boolean isCommitted(SqlConnection handle, long mark) {
        throw new IllegalStateException("a connection to an SQLite file cannot be lost");
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0; // there is no log now
        }
    }

    @Override
    public SqlConnection writing() {
        return open(false);
    }

    @Override
    public SqlConnection reading() {
        return open(true);
    }

    private SqlConnection open(boolean readOnly) {
        try {
            var handle = new SqliteConnection(
                    source(SQLiteConfig.TransactionMode.DEFERRED).getConnection());
            // without it macOS may lose confirmed writes; other systems ignore it; the driver misspells its own option
            handle.execute("PRAGMA fullfsync = true");
            if (readOnly) handle.execute("PRAGMA query_only = true");
            return handle;
        } catch (SQLException e) {
            throw new DatabaseFailure(e);
        }
    }

    private SQLiteDataSource source(SQLiteConfig.TransactionMode mode) {
        var config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setTransactionMode(mode);
        config.enforceForeignKeys(true);
        config.setBusyTimeout(10_000);
        config.setGetGeneratedKeys(false); // the driver would query them after every statement
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }
}
