package dev.roost.ledger.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqlConnectionTest {

    @TempDir
    Path directory;

    private final List<String> prepared = new ArrayList<>();
    private SqlConnection sql;

    @BeforeEach
    void open() throws SQLException {
        var connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("some.db"));
        sql = new SqliteConnection(recordingPrepared(connection));
        sql.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB)");
    }

    private Connection recordingPrepared(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (_, method, values) -> {
                    if (method.getName().equals("prepareStatement")) prepared.add((String) values[0]);
                    return method.invoke(real, values);
                });
    }

    @AfterEach
    void close() {
        sql.close();
    }

    private int insert(int id, String text) {
        return sql.execute("INSERT INTO thing (id, text) VALUES (?, ?)", id, text);
    }

    private List<String> texts() {
        return sql.select("SELECT text FROM thing ORDER BY id").list(SqlConnection::text);
    }

    @Test
    void a_statement_is_prepared_once_and_cached() {
        prepared.clear();
        for (int i = 1; i <= 3; i++) {
            assertThat(insert(i, "t" + i)).isOne();
            assertThat(texts()).hasSize(i).last().isEqualTo("t" + i);
        }
        assertThat(prepared).hasSize(2);
    }

    @Test
    void the_statement_cache_is_bounded() {
        var first = "SELECT 0";
        assertThat(sql.select(first).one(SqlConnection::count)).isZero();
        for (int i = 1; i <= 1_000; i++)
            assertThat(sql.select("SELECT " + i).one(SqlConnection::count)).isEqualTo(i);
        prepared.clear();
        assertThat(sql.select("SELECT 1000").one(SqlConnection::count)).isEqualTo(1_000);
        assertThat(prepared).isEmpty();
        assertThat(sql.select(first).one(SqlConnection::count)).isZero();
        assertThat(prepared).containsExactly(first);
    }

    @Test
    void a_cached_statement_does_not_keep_old_values() {
        insert(1, "one");
        sql.execute("UPDATE thing SET text = ? WHERE id = ?", "of the last time", 1);
        sql.execute("UPDATE thing SET text = ? WHERE id = ?", null, 1);
        assertThat(sql.select("SELECT coalesce(text, 'none') FROM thing").one(SqlConnection::text))
                .isEqualTo("none");
    }

    @Test
    void columns_are_found_by_name_in_every_execution() {
        insert(1, "one");
        for (int i = 0; i < 3; i++)
            assertThat(sql.select("SELECT id, text FROM thing").list(row -> row.getString("text") + row.getInt("id")))
                    .containsExactly("one1");
    }

    @Test
    void a_row_reader_may_run_the_same_statement() {
        insert(1, "one");
        insert(2, "two");
        assertThat(sql.select("SELECT text FROM thing ORDER BY id").list(row -> row.getString(1) + texts().size()))
                .containsExactly("one2", "two2");
        assertThat(texts()).containsExactly("one", "two");
    }

    @Test
    void a_failure_keeps_its_message_and_the_statement_works_again() {
        insert(1, "one");
        assertThatThrownBy(() -> insert(1, "again"))
                .isInstanceOf(DatabaseFailure.class)
                .hasCauseInstanceOf(SQLException.class)
                .hasMessageContaining("SQLITE_CONSTRAINT_PRIMARYKEY");
        insert(2, "two");
        assertThat(texts()).containsExactly("one", "two");
    }

    @Test
    void one_row_excludes_none_and_two() {
        assertThat(sql.select("SELECT text FROM thing").optional(SqlConnection::text))
                .isEmpty();
        assertThatThrownBy(() -> sql.select("SELECT text FROM thing").one(SqlConnection::text))
                .isInstanceOf(IllegalStateException.class);
        insert(1, "one");
        assertThat(sql.select("SELECT text FROM thing").one(SqlConnection::text))
                .isEqualTo("one");
        insert(2, "two");
        assertThatThrownBy(() -> sql.select("SELECT text FROM thing").optional(SqlConnection::text))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void values_are_stored_unchanged() {
        var bytes = new byte[] {0, 1, -1};
        sql.execute("INSERT INTO thing VALUES (?, ?, ?)", Long.MAX_VALUE, "before\0behind", bytes);
        assertThat(sql.select("SELECT id FROM thing WHERE id = ?", Long.MAX_VALUE)
                        .one(SqlConnection::number))
                .isEqualTo(Long.MAX_VALUE);
        assertThat(sql.select("SELECT text FROM thing").one(SqlConnection::text))
                .isEqualTo("before\0behind");
        byte[] found = sql.select("SELECT bytes FROM thing").one(row -> row.getBytes(1));
        assertThat(found).isEqualTo(bytes);
        assertThat(sql.select("SELECT ?", true).one(SqlConnection::truth)).isTrue();
    }

    @Test
    void a_batch_inserts_every_row() {
        var insert = "INSERT INTO thing (id, text) VALUES (?, ?)";
        sql.batch(insert, List.of(new Object[] {1, "one"}, new Object[] {2, "two"}));
        sql.batch(insert, List.<Object[]>of(new Object[] {3, "three"}));
        sql.batch(insert, List.of());
        assertThat(texts()).containsExactly("one", "two", "three");
    }

    @Test
    void a_rollback_to_a_savepoint_undoes_only_later_changes() {
        sql.begin();
        insert(1, "before");
        sql.savepoint("s");
        insert(2, "since");
        sql.rollbackToSavepoint("s");
        sql.savepoint("s");
        insert(3, "after");
        sql.releaseSavepoint("s");
        sql.commit();
        assertThat(sql.isInTransaction()).isFalse();
        assertThat(texts()).containsExactly("before", "after");
    }

    @Test
    void a_rollback_undoes_all_changes() {
        sql.begin();
        assertThat(sql.isInTransaction()).isTrue();
        insert(1, "one");
        sql.rollback();
        assertThat(sql.isInTransaction()).isFalse();
        assertThat(texts()).isEmpty();
    }

    @Test
    void a_transaction_that_sqlite_rolled_back_can_be_rolled_back_and_repeated() {
        insert(1, "one");
        sql.begin();
        insert(2, "two");
        assertThatThrownBy(() -> sql.execute("INSERT OR ROLLBACK INTO thing (id) VALUES (1)"))
                .isInstanceOf(DatabaseFailure.class);
        sql.rollback();
        sql.begin();
        insert(3, "three");
        sql.commit();
        assertThat(texts()).containsExactly("one", "three");
    }
}
