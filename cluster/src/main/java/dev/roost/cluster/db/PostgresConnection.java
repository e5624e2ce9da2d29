package dev.roost.cluster.db;

import dev.roost.ledger.db.SqlConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A connection to PostgreSQL. */
final class PostgresConnection extends SqlConnection {

    PostgresConnection(Connection connection) {
        super(connection);
    }

    @Override
    protected void bind(PreparedStatement statement, int place, @Nullable Object value) throws SQLException {
        switch (value) {
            case String text -> statement.setString(place, withoutNul(text));
            case SqlArray sqlArray ->
                statement.setArray(place, connection().createArrayOf(sqlArray.type(), sqlArray.values()));
            case null, default -> super.bind(statement, place, value);
        }
    }

    /** PostgreSQL cannot store U+0000 in a text; the output of an agent may contain it. */
    static String withoutNul(String text) {
        return text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD');
    }
}
