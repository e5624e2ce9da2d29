package dev.roost.ledger.db;

import dev.roost.base.Broken;
import dev.roost.base.DiskErrors;
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

/** The file behind the ledger: how it is opened, checked and brought up to date. */
public final class SqliteDatabase implements LedgerDatabase {

    private static final Duration LOOKED_AT_START = Duration.ofMillis(300);
    private static final int STEPS_BETWEEN_LOOKS = 10_000;
    private static final long LEAST_ROOM = 64 << 10; // what it takes to open a ledger

    private static final FileAttribute<Set<PosixFilePermission>> OWN =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path file;

    public SqliteDatabase(Path file) {
        this.file = file;
    }

    public void migrate() {
        SqliteLibrary.load();
        try {
            if (Files.exists(file)) {
                look(LOOKED_AT_START).ifPresent(detail -> {
                    throw broken(detail);
                });
            }
            new SqliteSchema(this, file).migrate(source(SQLiteConfig.TransactionMode.IMMEDIATE));
        } catch (FlywayException | SQLException | DatabaseFailure e) {
            if (explain(e) instanceof CommitFailure.Permanent(Broken known)) throw known;
            throw broken(String.valueOf(e.getMessage()).strip());
        }
    }

    /** A whole ledger in a new file, also while this one is written to; what was there before stays until it is whole. */
    @Override
    public void backUp(Path copy) {
        try {
            copy(copy);
        } catch (IOException | RuntimeException e) {
            throw new Broken(
                    "backup_failed",
                    "The back-up %s cannot be written: %s.".formatted(copy, TextFormat.why(e)),
                    "Choose another place, and check the disk.");
        }
    }

    void copy(Path copy) throws IOException {
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
            String verdict = handle.select("PRAGMA quick_check(1)").one(SqlConnection::text);
            return verdict.equals("ok") ? Optional.empty() : Optional.of(verdict);
        } catch (DatabaseFailure e) {
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

    /** Of those that are gone, too: SQLite gives no number twice. */
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

    /** A number in the file's header that is nobody's: to change it is a whole write, through the log and onto the disk. */
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
                return new CommitFailure.Permanent(
                        new Broken("home_read_only", "The ledger cannot be written.", "Make the home writable again."));
            }
        }
        return new CommitFailure.Permanent(e);
    }

    /** Of a log or an index that found no room the database says only that it could not be made. */
    boolean isFull(Throwable e) {
        if (DiskErrors.isFull(e)) return true;
        for (Throwable at = e; at != null; at = at.getCause()) {
            var message = String.valueOf(at.getMessage());
            if (message.contains("SQLITE_IOERR") || message.contains("SQLITE_CANTOPEN"))
                return Objects.requireNonNull(file.toAbsolutePath().getParent())
                                .toFile()
                                .getUsableSpace()
                        < LEAST_ROOM;
        }
        return false;
    }

    @Override
    public boolean isCommitted(SqlConnection handle, long mark) {
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
            // without it a Mac's disk may lose what it has taken; no other system knows it, and the driver misspells it
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
        config.setGetGeneratedKeys(false); // it would look for them after every statement
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }
}
