package dev.roost.ledger.db;

import java.sql.SQLException;

/** An SQLException as an unchecked exception. */
public final class DatabaseFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public DatabaseFailure(SQLException e) {
        super(e.getMessage(), e);
    }
}
