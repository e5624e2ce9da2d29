package dev.roost.cluster;

import dev.roost.ledger.Sql;
import dev.roost.ledger.SqlFailure;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Where connections to PostgreSQL come from. */
public record Database(DataSource source) {

    /** By a postgresql:// address. */
    public static Database at(String address) {
        return new Database(Address.parse(address).source("roost", 0));
    }

    /** What is done on a connection. */
    public interface Work<T, X extends Exception> {
        T on(Sql sql) throws X;
    }

    public Sql open() {
        try {
            return new PostgresSql(source.getConnection());
        } catch (SQLException e) {
            throw new SqlFailure(e);
        }
    }

    public <T, X extends Exception> T with(Work<T, X> work) throws X {
        try (var sql = open()) {
            return work.on(sql);
        }
    }

    public void use(Consumer<Sql> work) {
        try (var sql = open()) {
            work.accept(sql);
        }
    }

    /** All or nothing. */
    public <T, X extends Exception> T transact(Work<T, X> work) throws X {
        try (var sql = open()) {
            sql.begin();
            T answer;
            try {
                answer = work.on(sql);
            } catch (Throwable e) {
                undo(sql, e);
                throw e;
            }
            sql.commit();
            return answer;
        }
    }

    private static void undo(Sql sql, Throwable because) {
        try {
            sql.rollback();
        } catch (SqlFailure e) {
            because.addSuppressed(e);
        }
    }
}
