package dev.roost.cluster.migrate;

import dev.roost.base.Broken;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The ledger of a home that was alone, which nobody writes to any more. */
final class EmbeddedLedgerFile implements AutoCloseable {

    private final Connection connection;

    private EmbeddedLedgerFile(Connection connection) {
        this.connection = connection;
    }

    static EmbeddedLedgerFile open(Path file) {
        try {
            return new EmbeddedLedgerFile(DriverManager.getConnection("jdbc:sqlite:" + file));
        } catch (SQLException e) {
            throw broken(e);
        }
    }

    private static Broken broken(SQLException e) {
        return new Broken(
                "ledger_broken",
                "The ledger of this home cannot be read: %s.".formatted(e.getMessage()),
                "Nothing was changed. Restore a back-up of it: roost daemon restore FILE.");
    }

    /** What is done with each row. */
    interface Row {
        void read(ResultSet row) throws SQLException;
    }

    /** In the order of the first column, so that what was earlier comes earlier. */
    void each(String table, Row what) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT * FROM %s ORDER BY 1".formatted(table))) {
            while (rows.next()) what.read(rows);
        }
    }

    long count(String table) {
        return number("SELECT count(*) FROM " + table);
    }

    /** Runs that are not over. */
    long live() {
        return number("SELECT count(*) FROM attempt WHERE ended_at IS NULL");
    }

    /** The number of the last event, be it of a run that is gone. */
    long newestEvent() {
        return number("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'event'");
    }

    List<String> texts(String sql) {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            var texts = new ArrayList<String>();
            while (rows.next()) texts.add(rows.getString(1));
            return texts;
        } catch (SQLException e) {
            throw broken(e);
        }
    }

    private long number(String sql) {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getLong(1) : 0;
        } catch (SQLException e) {
            throw broken(e);
        }
    }

    /** What this ledger is told by from every other, and from itself after a further word was written. */
    String mark() {
        var ids = texts("SELECT id FROM run ORDER BY id");
        var text = "%d %s".formatted(newestEvent(), String.join(" ", ids));
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "moved:" + HexFormat.of().formatHex(hash, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All that it has is in the one file then. */
    void gather() {
        number("PRAGMA wal_checkpoint(TRUNCATE)");
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw broken(e);
        }
    }
}
