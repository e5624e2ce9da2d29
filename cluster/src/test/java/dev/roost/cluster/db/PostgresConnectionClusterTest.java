package dev.roost.cluster.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.cluster.testing.SchemaDatabases;
import dev.roost.ledger.db.DatabaseFailure;
import dev.roost.ledger.db.SqlConnection;
import java.util.List;
import org.junit.jupiter.api.Test;

class PostgresConnectionClusterTest {

    private final ConnectionSource database = ConnectionSource.at(SchemaDatabases.fresh());

    @Test
    void a_nul_in_a_text_is_replaced_by_a_replacement_character() {
        assertThat(database.<String, RuntimeException>with(
                        sql -> sql.select("SELECT ?::text", "before\0behind").one(SqlConnection::text)))
                .isEqualTo("before\uFFFDbehind");
        assertThat(database.<List<String>, RuntimeException>with(
                        sql -> sql.select("SELECT one FROM unnest(?) AS one", SqlArray.texts(List.of("a\0", "b")))
                                .list(SqlConnection::text)))
                .containsExactly("a\uFFFD", "b");
    }

    @Test
    void an_empty_array_matches_nothing() {
        assertThat(database.<Integer, RuntimeException>with(sql -> sql.select(
                                "SELECT count(*) FROM unnest(?, ?, ?)",
                                SqlArray.texts(List.of()),
                                SqlArray.numbers(List.of()),
                                SqlArray.counts(List.of()))
                        .one(SqlConnection::count)))
                .isZero();
    }

    @Test
    void a_transaction_that_fails_halfway_is_rolled_back() {
        database.use(sql -> sql.execute("CREATE TABLE thing (id INT PRIMARY KEY)"));
        assertThatThrownBy(() -> database.transact(sql -> {
                    sql.execute("INSERT INTO thing VALUES (?)", 1);
                    return sql.execute("INSERT INTO thing VALUES (?)", 1);
                }))
                .isInstanceOf(DatabaseFailure.class);
        database.transact(sql -> sql.execute("INSERT INTO thing VALUES (?)", 2));
        assertThat(database.<List<Integer>, RuntimeException>with(
                        sql -> sql.select("SELECT id FROM thing").list(SqlConnection::count)))
                .containsExactly(2);
    }

    @Test
    void a_savepoint_can_be_rolled_back_alone_even_after_a_failure() {
        database.use(sql -> {
            sql.execute("CREATE TABLE thing (id INT PRIMARY KEY)");
            sql.begin();
            sql.execute("INSERT INTO thing VALUES (?)", 1);
            sql.savepoint("w");
            assertThatThrownBy(() -> sql.execute("INSERT INTO thing VALUES (?)", 1))
                    .isInstanceOf(DatabaseFailure.class);
            sql.rollbackToSavepoint("w");
            sql.execute("INSERT INTO thing VALUES (?)", 2);
            sql.commit();
            assertThat(sql.select("SELECT id FROM thing ORDER BY id").list(SqlConnection::count))
                    .containsExactly(1, 2);
        });
    }
}
