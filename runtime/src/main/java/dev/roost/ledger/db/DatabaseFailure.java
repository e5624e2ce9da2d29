package dev.roost.ledger.db;

import java.sql.SQLException;

/** What the database said, for who need not expect it. */
public final class DatabaseFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public DatabaseFailure(SQLException e) {
        super(e.getMessage(), e);
    }
}
