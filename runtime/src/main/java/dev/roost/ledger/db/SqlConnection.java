package dev.roost.ledger.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * SQL as text, with a question mark for each value, on one connection; not for two threads at once. Statements are kept for
 * the next time: SQLite takes longer to understand one than to carry it out.
 */
public class SqlConnection implements AutoCloseable {

    private static final int MOST = 200;

    private final Connection connection;
    private final LinkedHashMap<String, Prepared> idle = new LinkedHashMap<>();
    boolean inTransaction;

    public SqlConnection(Connection connection) {
        this.connection = connection;
    }

    /** What a row becomes. */
    public interface RowReader<T> {
        T of(ResultSet row) throws SQLException;
    }

    /** A statement that may be used again. */
    static class Prepared {
        final PreparedStatement statement;

        Prepared(PreparedStatement statement) {
            this.statement = statement;
        }

        ResultSet query() throws SQLException {
            return statement.executeQuery();
        }
    }

    Prepared prepare(String sql) throws SQLException {
        return new Prepared(connection.prepareStatement(sql));
    }

    private interface StatementTask<T> {
        T of(Prepared prepared) throws SQLException;
    }

    /** How many rows it changed. */
    public int execute(String sql, @Nullable Object... values) {
        return use(sql, prepared -> {
            var statement = prepared.statement;
            bind(statement, values);
            if (statement.execute()) statement.getResultSet().close();
            return statement.getUpdateCount();
        });
    }

    /** The same with the values of each row, in one go. */
    public void batch(String sql, List<Object[]> rows) {
        if (rows.isEmpty()) return;
        use(sql, prepared -> {
            var statement = prepared.statement;
            for (var row : rows) {
                bind(statement, row);
                statement.addBatch();
            }
            return statement.executeBatch();
        });
    }

    public Select select(String sql, @Nullable Object... values) {
        return new Select(sql, values);
    }

    /** What is asked; it is carried out when it is said what is to become of the rows. */
    public final class Select {
        private final String sql;
        private final @Nullable Object[] values;

        private Select(String sql, @Nullable Object[] values) {
            this.sql = sql;
            this.values = values;
        }

        public <T> List<T> list(RowReader<T> reading) {
            return use(sql, prepared -> {
                bind(prepared.statement, values);
                var found = new ArrayList<T>();
                try (var rows = prepared.query()) {
                    while (rows.next()) found.add(reading.of(rows));
                }
                return found;
            });
        }

        /** Of one row at most. */
        public <T> Optional<T> optional(RowReader<T> reading) {
            var found = list(reading);
            if (found.size() > 1) throw new IllegalStateException("%d rows: %s".formatted(found.size(), sql));
            return found.stream().findFirst();
        }

        public <T> T one(RowReader<T> reading) {
            return optional(reading).orElseThrow(() -> new IllegalStateException("no row: " + sql));
        }
    }

    /** The first column as text; and below, as other things. */
    public static String text(ResultSet row) throws SQLException {
        return row.getString(1);
    }

    public static long number(ResultSet row) throws SQLException {
        return row.getLong(1);
    }

    public static int count(ResultSet row) throws SQLException {
        return row.getInt(1);
    }

    public static boolean truth(ResultSet row) throws SQLException {
        return row.getBoolean(1);
    }

    /** In use a statement is nobody else's: who reads a row may ask the same again. One that failed is not used again. */
    private <T> T use(String sql, StatementTask<T> use) {
        try {
            var kept = idle.remove(sql);
            var prepared = kept == null ? prepare(sql) : kept;
            T answer;
            try {
                answer = use.of(prepared);
            } catch (Throwable e) {
                discard(prepared.statement, e);
                throw e;
            }
            keep(sql, prepared);
            return answer;
        } catch (SQLException e) {
            throw new DatabaseFailure(e);
        }
    }

    private void keep(String sql, Prepared prepared) throws SQLException {
        if (idle.containsKey(sql)) {
            prepared.statement.close();
            return;
        }
        prepared.statement.clearParameters(); // they may be long
        idle.put(sql, prepared);
        if (idle.size() > MOST) idle.pollFirstEntry().getValue().statement.close();
    }

    private static void discard(PreparedStatement statement, Throwable because) {
        try {
            statement.close();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    private void bind(PreparedStatement statement, @Nullable Object[] values) throws SQLException {
        for (int i = 0; i < values.length; i++) bind(statement, i + 1, values[i]);
    }

    /** For a database that takes a value otherwise. */
    protected void bind(PreparedStatement statement, int place, @Nullable Object value) throws SQLException {
        switch (value) {
            case null -> statement.setNull(place, Types.OTHER);
            case String text -> statement.setString(place, text);
            case Long number -> statement.setLong(place, number);
            case Integer number -> statement.setInt(place, number);
            case Boolean truth -> statement.setBoolean(place, truth);
            case byte[] bytes -> statement.setBytes(place, bytes);
            default -> statement.setObject(place, value);
        }
    }

    public void begin() {
        try {
            connection.setAutoCommit(false);
            inTransaction = true;
        } catch (SQLException e) {
            throw new DatabaseFailure(e);
        }
    }

    public void commit() {
        try {
            connection.commit();
            connection.setAutoCommit(true);
            inTransaction = false;
        } catch (SQLException e) {
            throw new DatabaseFailure(e);
        }
    }

    public void rollback() {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
            inTransaction = false;
        } catch (SQLException e) {
            throw new DatabaseFailure(e);
        }
    }

    public boolean isInTransaction() {
        return inTransaction;
    }

    public void savepoint(String name) {
        execute("SAVEPOINT " + name);
    }

    public void releaseSavepoint(String name) {
        execute("RELEASE SAVEPOINT " + name);
    }

    public void rollbackToSavepoint(String name) {
        execute("ROLLBACK TO SAVEPOINT " + name);
    }

    public Connection connection() {
        return connection;
    }

    @Override
    public void close() {
        try {
            connection.close(); // and its statements with it
        } catch (SQLException e) {
            throw new DatabaseFailure(e);
        }
    }
}
