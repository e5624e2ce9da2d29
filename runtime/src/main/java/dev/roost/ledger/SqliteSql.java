package dev.roost.ledger;

import java.sql.Connection;
import java.sql.SQLException;

/** A connection to the file. Transactions are ours: the driver begins the next one with every commit, to undo it again. */
final class SqliteSql extends Sql {

    SqliteSql(Connection connection) throws SQLException {
        super(connection);
        connection.setAutoCommit(false); // else it looks after each statement whether there is something to commit
        execute("COMMIT"); // of the one it has begun, in which nothing happened
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
        } catch (SqlFailure e) {
            if (!String.valueOf(e.getMessage()).contains("no transaction is active")) throw e;
        }
        inTransaction = false;
    }
}
