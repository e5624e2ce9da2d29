package dev.roost.ledger.db;

import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * SQL as text, with a question mark for each value, on one connection; not thread-safe. CachedStatement statements are cached:
 * SQLite takes longer to parse one than to execute it.
 */
public class SqlConnection implements AutoCloseable {

    private static final int MAX_CACHED = 200;

    private final Connection connection;
    private final LinkedHashMap<String, CachedStatement> idle = new LinkedHashMap<>();
    boolean inTransaction;

    public SqlConnection(Connection connection) {
        this.connection = connection;
    }

    /** Maps a row to a value. */
    public interface RowReader<T> {
        T of(ResultSet row) throws SQLException;
    }

    /** A cached statement. */
    static class CachedStatement {
        final PreparedStatement statement;

        CachedStatement(PreparedStatement statement) {
            this.statement = statement;
        }

        ResultSet query() throws SQLException {
            return statement.executeQuery();
        }
    }

    CachedStatement prepare(String sql) throws SQLException {
        return new CachedStatement(connection.prepareStatement(sql));
    }

    private interface StatementTask<T> {
        T of(CachedStatement prepared) throws SQLException;
    }

    /** Executes a statement and returns the number of changed rows. */
    public int execute(String sql, @Nullable Object... values) {
        return use(sql, prepared -> {
            var statement = prepared.statement;
            bind(statement, values);
            if (statement.execute()) statement.getResultSet().close();
            return statement.getUpdateCount();
        });
    }

    /** Executes a statement once for each row of values, in one batch. */
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

    /** A query; it is executed when its rows are read. */
    public final class Select {
        private final String sql;
        private final @Nullable Object[] values;

        private Select(String sql, @Nullable Object[] values) {
            this.sql = sql;
            this.values = values;
        }

        public <T> List<T> list(RowReader<T> reader) {
            return use(sql, prepared -> {
                bind(prepared.statement, values);
                var found = new ArrayList<T>();
                try (var rows = prepared.query()) {
                    while (rows.next()) found.add(reader.of(rows));
                }
                return found;
            });
        }

        /** The only row, if there is one; throws if there are more. */
        public <T> Optional<T> optional(RowReader<T> reader) {
            var found = list(reader);
            if (found.size() > 1) throw new IllegalStateException("%d rows: %s".formatted(found.size(), sql));
            return found.stream().findFirst();
        }

        public <T> T one(RowReader<T> reader) {
            return optional(reader).orElseThrow(() -> new IllegalStateException("no row: " + sql));
        }
    }

    /** The first column as text; the next methods return it as other types. */
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

    /** Takes a statement out of the cache while in use: a row reader may run the same SQL. A failed statement is not reused. */
    private <T> T use(String sql, StatementTask<T> task) {
        try {
            var cached = idle.remove(sql);
            var prepared = cached == null ? prepare(sql) : cached;
            T answer;
            try {
                answer = task.of(prepared);
            } catch (Throwable e) {
                discard(prepared.statement, e);
                throw e;
            }
            putBack(sql, prepared);
            return answer;
        } catch (SQLException e) {
            throw new DatabaseFailure(e);
        }
    }

    private void putBack(String sql, CachedStatement prepared) throws SQLException {
        if (idle.containsKey(sql)) {
            prepared.statement.close();
            return;
        }
        prepared.statement.clearParameters(); // parameters may hold long values
        idle.put(sql, prepared);
        if (idle.size() > MAX_CACHED) idle.pollFirstEntry().getValue().statement.close();
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

    /** Binds one value: a time as milliseconds, an id or a path as text. A database with other types overrides it. */
    protected void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException {
        switch (value) {
            case null -> statement.setNull(index, Types.OTHER);
            case String text -> statement.setString(index, text);
            case Long number -> statement.setLong(index, number);
            case Integer number -> statement.setInt(index, number);
            case Boolean truth -> statement.setBoolean(index, truth);
            case Optional<?> maybe -> bind(statement, index, maybe.orElse(null));
            case Instant at -> statement.setLong(index, at.toEpochMilli());
            case Duration time -> statement.setLong(index, time.toMillis());
            case RunId run -> bind(statement, index, run.text());
            case Owner owner -> bind(statement, index, owner.id());
            case Path path -> bind(statement, index, path.toString());
            case byte[] bytes -> statement.setBytes(index, bytes);
            default -> statement.setObject(index, value);
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
            connection.close(); // closes its statements, too
        } catch (SQLException e) {
            throw new DatabaseFailure(e);
        }
    }
}
