package dev.roost.cluster.migrate;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.roost.base.Broken;
import dev.roost.base.Clock;
import dev.roost.base.Refusal;
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
 * Moves the ledger of a home that was alone into the shared one. First the files go to the shelf, where nobody looks for them
 * yet; then all rows in one transaction, in which the file is called {@code roost.db.moving}, so that nobody writes to it any
 * more; then it is called {@code roost.db.moved}. Killed anywhere, it goes on when it is done again.
 */
public final class LedgerMigration {

    /** How far it is. */
    public interface MigrationProgress {
        void at(String what, long done, long all);
    }

    /** How many rows of which table are there now; and where the old ledger is. */
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

    /** Whoever calls holds the home's lock. {@code node} is what the home will be called among the others. */
    public static MigrationResult move(
            String address, String node, Home home, Clock clock, MigrationProgress progress) {
        return new LedgerMigration(DatabaseAddress.parse(address), node, home, clock, progress).move();
    }

    /** Whether the home has a ledger of its own, or had one of which not all is there yet. */
    public static boolean isWanted(Home home) {
        return Files.exists(home.ledger()) || Files.exists(moving(home));
    }

    private static Path moving(Home home) {
        return Path.of(home.ledger() + ".moving");
    }

    private static Path moved(Home home) {
        return Path.of(home.ledger() + ".moved");
    }

    /** A daemon that began a new ledger, or wrote to one that is half-way, would part the home from its runs. */
    public static void refuseIfMoved(Home home, boolean member) {
        if (Files.exists(moving(home))) {
            throw new Broken(
                    "ledger_moving",
                    "The move of this home's ledger was interrupted.",
                    "Do it again, and it goes on where it was: roost ledger move postgresql://…");
        }
        if (member) refuseLeft(home);
        if (!member && !Files.exists(home.ledger()) && Files.exists(moved(home))) {
            throw new Broken(
                    "ledger_moved",
                    "The ledger of this home was moved to a shared one, and config.toml does not say where that is.",
                    "Put ledger = \"postgresql://…\" there; or rename %s to roost.db to go on with what it was then."
                            .formatted(moved(home)));
        }
    }

    /** Runs that are only in the home's own ledger would be nobody's in a shared one. */
    private static void refuseLeft(Home home) {
        if (!Files.exists(home.ledger())) return;
        long live;
        try (var own = EmbeddedLedgerFile.open(home.ledger())) {
            live = own.live();
        }
        if (live > 0)
            throw new Refusal(
                    "runs_live",
                    "%d runs in this home's own ledger are not over yet; in a shared one nobody would know them."
                            .formatted(live),
                    "Take ledger = … out of config.toml until they are, then: roost ledger move postgresql://…");
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

    private static Broken failed(String why) {
        return new Broken(
                "move_failed",
                "The ledger could not be moved: %s.".formatted(why),
                "Nothing is lost: do it again, and it goes on where it was.");
    }

    private void bringUpToDate() {
        if (Files.exists(home.ledger())) {
            SqliteLedger.open(home.ledger(), clock).close();
            return;
        }
        boolean before = Files.exists(moved(home));
        throw new Refusal(
                before ? "ledger_moved" : "no_ledger",
                before ? "The ledger of this home was moved before." : "This home has no ledger of its own.",
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

    /** What is moved belongs to this home by its name. */
    private void refuseTakenName(ConnectionSource database) {
        boolean taken = database.with(
                handle -> handle.select("SELECT 1 FROM node WHERE name = ? AND home <> ?", node, home.identity())
                        .optional(SqlConnection::count)
                        .isPresent());
        if (taken)
            throw new Refusal(
                    "node_name_taken",
                    "Another home is called %s already.".formatted(node),
                    "Give this one another name: [node] name in config.toml.");
    }

    /** An agent at work is bound to this home's daemon and to the files it was given, which no other node has. */
    private static void refuseLive(EmbeddedLedgerFile from) {
        long live = from.live();
        if (live > 0)
            throw new Refusal(
                    "runs_live",
                    live == 1 ? "A run is not over yet." : "%d runs are not over yet.".formatted(live),
                    "Wait for them, or stop them: roost ps, roost stop --all.");
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
            throw new Refusal(
                    "already_there",
                    "The shared ledger has %s of this home already.".formatted(known.get()),
                    "It was moved there before, and used alone since; only one of the two can go on.");
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

    /** All or nothing. If nobody can tell which, the file stays put away, and the next try finds out. */
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
            return; // it is away
        }
        if (!there) rename(moving(home), home.ledger());
    }

    /** With nothing beside it: all that it has was gathered in the one file. */
    private static void rename(Path from, Path to) throws IOException {
        for (var part : Map.of("-wal", 0L, "-shm", Long.MAX_VALUE).entrySet()) {
            var beside = Path.of(from + part.getKey());
            if (Files.exists(beside) && Files.size(beside) <= part.getValue()) Files.delete(beside);
        }
        if (Files.exists(Path.of(from + "-wal"))) throw new IOException("somebody writes to " + from);
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }
}
