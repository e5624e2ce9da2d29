package dev.roost.ledger;

import java.sql.SQLException;

/** What the database said, for who need not expect it. */
public final class SqlFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public SqlFailure(SQLException e) {
        super(e.getMessage(), e);
    }
}
