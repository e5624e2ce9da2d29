package dev.roost.ledger.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.core.CoreResultSet;

/** A connection to the file. Transactions are ours: the driver begins the next one with every commit, to undo it again. */
final class SqliteConnection extends SqlConnection {

    SqliteConnection(Connection connection) throws SQLException {
        super(connection);
        connection.setAutoCommit(false); // else it looks after each statement whether there is something to commit
        execute("COMMIT"); // of the one it has begun, in which nothing happened
    }

    @Override
    Prepared prepare(String sql) throws SQLException {
        return new NamedColumns(connection().prepareStatement(sql));
    }

    /** At each execution the driver asks for the names of all columns anew, which takes longer than to read the columns. */
    private static final class NamedColumns extends Prepared {
        private @Nullable CoreResultSet rows;
        private String @Nullable [] names;

        NamedColumns(PreparedStatement statement) {
            super(statement);
        }

        @Override
        ResultSet query() throws SQLException {
            if (rows == null) {
                var first = super.query();
                rows = (CoreResultSet) first; // the same for each execution
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

    /** SQLite may have undone it by itself, on a full disk say. */
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
