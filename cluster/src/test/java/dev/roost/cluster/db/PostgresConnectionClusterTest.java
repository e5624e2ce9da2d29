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
    void a_text_with_nul_is_taken_with_a_mark_in_its_place() {
        assertThat(database.<String, RuntimeException>with(
                        sql -> sql.select("SELECT ?::text", "before\0behind").one(SqlConnection::text)))
                .isEqualTo("before\uFFFDbehind");
        assertThat(database.<List<String>, RuntimeException>with(
                        sql -> sql.select("SELECT one FROM unnest(?) AS one", SqlArray.texts(List.of("a\0", "b")))
                                .list(SqlConnection::text)))
                .containsExactly("a\uFFFD", "b");
    }

    @Test
    void none_of_many_is_none() {
        assertThat(database.<Integer, RuntimeException>with(sql -> sql.select(
                                "SELECT count(*) FROM unnest(?, ?, ?)",
                                SqlArray.texts(List.of()),
                                SqlArray.numbers(List.of()),
                                SqlArray.counts(List.of()))
                        .one(SqlConnection::count)))
                .isZero();
    }

    @Test
    void what_failed_in_the_middle_has_not_happened() {
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
    void what_was_done_since_a_savepoint_can_be_undone_alone_even_after_a_failure() {
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
