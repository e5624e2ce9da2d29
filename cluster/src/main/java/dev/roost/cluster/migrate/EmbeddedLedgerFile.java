package dev.roost.cluster.migrate;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
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

/** The ledger of a home that was in no cluster; no daemon writes to it any more. */
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

    private static RoostError broken(SQLException e) {
        return ErrorCode.LEDGER_BROKEN.error("The ledger of this home cannot be read: %s.".formatted(e.getMessage()));
    }

    /** Reads one row. */
    interface Row {
        void read(ResultSet row) throws SQLException;
    }

    /** Reads the rows in the order of the first column, which is chronological. */
    void each(String table, Row reader) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT * FROM %s ORDER BY 1".formatted(table))) {
            while (rows.next()) reader.read(rows);
        }
    }

    long count(String table) {
        return number("SELECT count(*) FROM " + table);
    }

    /** The number of runs that have not ended. */
    long live() {
        return number("SELECT count(*) FROM attempt WHERE ended_at IS NULL");
    }

    /** The number of the last event, even if its run was deleted. */
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

    /** Identifies this ledger and its content: any further write changes it. */
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

    /** Moves the content of the write-ahead log into the file. */
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
