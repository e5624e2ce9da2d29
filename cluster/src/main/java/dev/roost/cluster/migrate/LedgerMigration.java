package dev.roost.cluster.migrate;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.cluster.db.ConnectionCheck;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.db.DatabaseErrors;
import dev.roost.cluster.db.PostgresSchema;
import dev.roost.cluster.db.SqlArray;
import dev.roost.cluster.files.PostgresFileStore;
import dev.roost.home.Home;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Moves the embedded ledger of a home into the shared one. First it uploads the files. Then it renames the ledger to
 * {@code roost.db.moving}, so that nothing writes to it, and inserts all rows in one transaction. Then it renames the file to
 * {@code roost.db.moved}. If it is killed at any point, a repeated call continues.
 */
public final class LedgerMigration {

    /** Receives progress. */
    public interface MigrationProgress {
        void at(String what, long done, long all);
    }

    /** The number of migrated rows by table, and the path of the old ledger. */
    public record MigrationResult(SequencedMap<String, Long> rows, Path kept) {}

    private final DatabaseAddress address;
    private final String node;
    private final Home home;
    private final Clock clock;
    private final MigrationProgress progress;

    private LedgerMigration(DatabaseAddress address, String node, Home home, Clock clock, MigrationProgress progress) {
        this.address = address;
        this.node = node;
        this.home = home;
        this.clock = clock;
        this.progress = progress;
    }

    /** The caller holds the home's lock. {@code node} is the home's name in the cluster. */
    public static MigrationResult move(
            String address, String node, Home home, Clock clock, MigrationProgress progress) {
        return new LedgerMigration(DatabaseAddress.parse(address), node, home, clock, progress).move();
    }

    /** Whether the home has an embedded ledger, or one whose move was interrupted. */
    public static boolean isWanted(Home home) {
        return Files.exists(home.ledger()) || Files.exists(moving(home));
    }

    private static Path moving(Home home) {
        return Path.of(home.ledger() + ".moving");
    }

    private static Path moved(Home home) {
        return Path.of(home.ledger() + ".moved");
    }

    /** Refuses to start a daemon on a new or half-moved ledger, which would separate the home from its runs. */
    public static void refuseIfMoved(Home home, boolean member) {
        if (Files.exists(moving(home))) {
            throw ErrorCode.LEDGER_MOVING.error("The move of this home's ledger was interrupted.");
        }
        if (member) refuseLeft(home);
        if (!member && !Files.exists(home.ledger()) && Files.exists(moved(home))) {
            throw ErrorCode.LEDGER_MOVED.error(
                    "The ledger of this home was moved to a shared one, and config.toml does not have its address.",
                    "Put ledger = \"postgresql://…\" there; or rename %s to roost.db to continue with the state of that time."
                            .formatted(moved(home)));
        }
    }

    /** Live runs in the home's own ledger would be unknown in the shared one. */
    private static void refuseLeft(Home home) {
        if (!Files.exists(home.ledger())) return;
        long live;
        try (var own = EmbeddedLedgerFile.open(home.ledger())) {
            live = own.live();
        }
        if (live > 0)
            throw ErrorCode.RUNS_LIVE.error(
                    "%d runs in this home's own ledger have not ended yet; the shared ledger does not know them."
                            .formatted(live),
                    "Remove ledger = … from config.toml until they have ended, then: roost ledger move postgresql://…");
    }

    private MigrationResult move() {
        boolean again = Files.exists(moving(home));
        if (!again) bringUpToDate();
        var file = again ? moving(home) : home.ledger();
        try (var source = source()) {
            var database = new ConnectionSource(source);
            refuseTakenName(database);
            String mark;
            try (var from = EmbeddedLedgerFile.open(file)) {
                refuseLive(from);
                mark = from.mark();
                if (!isThere(database, mark)) {
                    refuseKnown(database, from);
                    new FileMigration(new PostgresFileStore(source), home, clock).copyAll(ended(from), progress);
                }
                from.gather();
            }
            if (!again) rename(home.ledger(), moving(home));
            var rows = copyRows(database, mark);
            rename(moving(home), moved(home));
            return new MigrationResult(rows, moved(home));
        } catch (IOException e) {
            throw failed(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("it was interrupted");
        }
    }

    private static RoostError failed(String why) {
        return ErrorCode.MOVE_FAILED.error("The ledger could not be moved: %s.".formatted(why));
    }

    private void bringUpToDate() {
        if (Files.exists(home.ledger())) {
            SqliteLedger.open(home.ledger(), clock).close();
            return;
        }
        boolean before = Files.exists(moved(home));
        throw (before ? ErrorCode.LEDGER_MOVED : ErrorCode.NO_LEDGER)
                .error(
                        before
                                ? "The ledger of this home has already been moved."
                                : "This home has no ledger of its own.",
                        before ? "It is %s.".formatted(moved(home)) : "There is nothing to move.");
    }

    private HikariDataSource source() {
        var own = address.withoutTimeout("roost %s moves".formatted(node));
        ConnectionCheck.attempt(address, own);
        PostgresSchema.bringUpToDate(own);
        var config = new HikariConfig();
        config.setDataSource(own);
        config.setMaximumPoolSize(3);
        config.setMinimumIdle(0);
        config.setPoolName("roost-move");
        return new HikariDataSource(config);
    }

    /** Refuses if another home has the node name, because moved rows belong to this home by its node name. */
    private void refuseTakenName(ConnectionSource database) {
        boolean taken = database.with(
                handle -> handle.select("SELECT 1 FROM node WHERE name = ? AND home <> ?", node, home.identity())
                        .optional(SqlConnection::count)
                        .isPresent());
        if (taken) throw ErrorCode.NODE_NAME_TAKEN.error("Another home already has the node name %s.".formatted(node));
    }

    /** Refuses while an agent works: it is bound to this home's daemon and to files that no other node has. */
    private static void refuseLive(EmbeddedLedgerFile from) {
        long live = from.live();
        if (live > 0)
            throw ErrorCode.RUNS_LIVE.error(
                    live == 1 ? "A run has not ended yet." : "%d runs have not ended yet.".formatted(live));
    }

    private static boolean isThere(ConnectionSource database, String mark) {
        return database.with(handle -> handle.select("SELECT 1 FROM fact WHERE name = ?", mark)
                .optional(SqlConnection::count)
                .isPresent());
    }

    private static void refuseKnown(ConnectionSource database, EmbeddedLedgerFile from) {
        var known = database.with(handle -> handle.select(
                        "SELECT id FROM run WHERE id = ANY (?) LIMIT 1",
                        SqlArray.texts(from.texts("SELECT id FROM run")))
                .optional(SqlConnection::text));
        if (known.isPresent())
            throw ErrorCode.ALREADY_THERE.error(
                    "The shared ledger already has the run %s of this home.".formatted(known.get()));
    }

    private static List<FileMigration.EndedRun> ended(EmbeddedLedgerFile from) throws IOException {
        var all = new ArrayList<FileMigration.EndedRun>();
        try {
            from.each(
                    "run",
                    row -> all.add(new FileMigration.EndedRun(new RunId(row.getString("id")), row.getInt("attempt"))));
        } catch (SQLException e) {
            throw new IOException(e);
        }
        return all;
    }

    /** Inserts all rows or none. If the outcome of the commit is unknown, the file keeps its new name and the next call finds out. */
    private SequencedMap<String, Long> copyRows(ConnectionSource database, String mark) throws IOException {
        try (var from = EmbeddedLedgerFile.open(moving(home))) {
            if (isThere(database, mark)) return RowMigration.counts(from);
            return database.transact(handle -> copyRows(from, handle, mark));
        } catch (SQLException | RuntimeException e) {
            putBackUnlessThere(database, mark);
            if (e instanceof RoostError known) throw known;
            throw failed(DatabaseErrors.why(e));
        }
    }

    private SequencedMap<String, Long> copyRows(EmbeddedLedgerFile from, SqlConnection handle, String mark)
            throws SQLException {
        try {
            handle.execute("INSERT INTO fact (name, value) VALUES (?, ?)", mark, node);
            var rows = new RowMigration(from, handle, node).copyAll(progress);
            new OrderMigration(home, node).copyAll(from, handle);
            return rows;
        } catch (IOException e) {
            throw new SQLException(e);
        }
    }

    private void putBackUnlessThere(ConnectionSource database, String mark) throws IOException {
        boolean there;
        try {
            there = isThere(database, mark);
        } catch (RuntimeException e) {
            return; // the database is not reachable; the next call finds out
        }
        if (!there) rename(moving(home), home.ledger());
    }

    /** Renames the ledger without its side files; its content was gathered in the one file. */
    private static void rename(Path from, Path to) throws IOException {
        for (var part : Map.of("-wal", 0L, "-shm", Long.MAX_VALUE).entrySet()) {
            var beside = Path.of(from + part.getKey());
            if (Files.exists(beside) && Files.size(beside) <= part.getValue()) Files.delete(beside);
        }
        if (Files.exists(Path.of(from + "-wal"))) throw new IOException("another process writes to " + from);
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }
}
