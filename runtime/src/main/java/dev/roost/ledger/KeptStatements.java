package dev.roost.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import org.jdbi.v3.core.statement.DefaultStatementBuilder;
import org.jdbi.v3.core.statement.StatementContext;

/** Keeps a connection's statements for the next time: SQLite takes longer to understand one than to carry it out. */
final class KeptStatements extends DefaultStatementBuilder {

    private static final int MOST = 200;

    private final LinkedHashMap<String, PreparedStatement> idle = new LinkedHashMap<>();

    @Override
    public PreparedStatement create(Connection connection, String sql, StatementContext context) throws SQLException {
        var kept = idle.remove(sql);
        return kept == null ? super.create(connection, sql, context) : kept;
    }

    @Override
    public void close(Connection connection, String sql, Statement statement) throws SQLException {
        if (statement instanceof PreparedStatement prepared && !prepared.isClosed() && !idle.containsKey(sql)) {
            prepared.clearParameters();
            idle.put(sql, prepared);
            if (idle.size() > MOST) idle.pollFirstEntry().getValue().close();
        } else {
            statement.close();
        }
    }
}
