package dev.roost.ledger.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.core.CoreResultSet;

/** A connection to the SQLite file. It begins transactions itself, because the driver begins the next one at every commit. */
final class SqliteConnection extends SqlConnection {

    SqliteConnection(Connection connection) throws SQLException {
        super(connection);
        connection.setAutoCommit(false); // otherwise the driver checks after each statement whether it has to commit
        execute("COMMIT"); // ends the empty transaction that the driver began
    }

    @Override
    CachedStatement prepare(String sql) throws SQLException {
        return new NamedColumns(connection().prepareStatement(sql));
    }

    /** Caches the column names: the driver reads them again at each execution, which takes longer than reading the values. */
    private static final class NamedColumns extends CachedStatement {
        private @Nullable CoreResultSet rows;
        private String @Nullable [] names;

        NamedColumns(PreparedStatement statement) {
            super(statement);
        }

        @Override
        ResultSet query() throws SQLException {
            if (rows == null) {
                var first = super.query();
                rows = (CoreResultSet) first; // the driver returns the same object for each execution
                names = rows.colsMeta;
                return first;
            }
            statement.execute();
            rows.colsMeta = names;
            return statement.getResultSet();
        }
    }

    @Override
    public void begin() {
        execute("BEGIN IMMEDIATE");
        inTransaction = true;
    }

    @Override
    public void commit() {
        execute("COMMIT");
        inTransaction = false;
    }

    /** SQLite may have rolled back by itself, for example on a full disk. */
    @Override
    public void rollback() {
        try {
            execute("ROLLBACK");
        } catch (DatabaseFailure e) {
            if (!String.valueOf(e.getMessage()).contains("no transaction is active")) throw e;
        }
        inTransaction = false;
    }
}
