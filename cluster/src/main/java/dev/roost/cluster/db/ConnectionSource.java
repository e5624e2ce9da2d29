package dev.roost.cluster.db;

import dev.roost.ledger.db.DatabaseFailure;
import dev.roost.ledger.db.SqlConnection;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Opens connections to PostgreSQL. */
public record ConnectionSource(DataSource source) {

    /** From a postgresql:// address. */
    public static ConnectionSource at(String address) {
        return new ConnectionSource(DatabaseAddress.parse(address).source("roost", 0));
    }

    /** Work on a connection. */
    public interface DatabaseTask<T, X extends Exception> {
        T on(SqlConnection sql) throws X;
    }

    public SqlConnection open() {
        try {
            return new PostgresConnection(source.getConnection());
        } catch (SQLException e) {
            throw new DatabaseFailure(e);
        }
    }

    public <T, X extends Exception> T with(DatabaseTask<T, X> work) throws X {
        try (var sql = open()) {
            return work.on(sql);
        }
    }

    public void use(Consumer<SqlConnection> work) {
        try (var sql = open()) {
            work.accept(sql);
        }
    }

    /** Runs the work in a transaction. */
    public <T, X extends Exception> T transact(DatabaseTask<T, X> work) throws X {
        try (var sql = open()) {
            sql.begin();
            T answer;
            try {
                answer = work.on(sql);
            } catch (Throwable e) {
                rollBack(sql, e);
                throw e;
            }
            sql.commit();
            return answer;
        }
    }

    private static void rollBack(SqlConnection sql, Throwable because) {
        try {
            sql.rollback();
        } catch (DatabaseFailure e) {
            because.addSuppressed(e);
        }
    }
}
