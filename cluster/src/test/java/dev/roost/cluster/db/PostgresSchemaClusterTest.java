package dev.roost.cluster.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Broken;
import dev.roost.cluster.testing.PostgresServer;
import dev.roost.cluster.testing.SchemaDatabases;
import dev.roost.os.SystemClock;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Nodes of different versions on one ledger. */
class PostgresSchemaClusterTest {

    private final String address = SchemaDatabases.fresh();

    private void execute(String sql) throws SQLException {
        try (var connection = PostgresServer.connect(address);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** As if a newer Roost had migrated the tables. */
    private void upgradeTo(int version) throws SQLException {
        execute("""
                INSERT INTO flyway_schema_history (installed_rank, version, description, type, script, checksum,
                                                   installed_by, execution_time, success)
                SELECT max(installed_rank) + 1, '%d', 'later', 'SQL', 'V%d__later.sql', 1, 'somebody', 1, TRUE
                  FROM flyway_schema_history
                """.formatted(version, version));
        execute("ALTER TABLE run ADD COLUMN of_later_use TEXT");
    }

    private void open() {
        PostgresDatabase.open(address, "old", new SystemClock()).close();
    }

    @Test
    void an_older_version_continues_if_the_newer_schema_permits_it() throws Exception {
        upgradeTo(99);
        assertThatCode(this::open).doesNotThrowAnyException();
        assertThat(PostgresSchema.migrate(address))
                .as("and it downgrades nothing")
                .isEqualTo("99");
    }

    /** Changing a big table takes longer than the idle timeout of a transaction. */
    @Test
    void a_long_migration_is_not_cut_off_by_a_timeout() throws Exception {
        var empty = PostgresServer.shared().newDatabase();
        try (var connection = PostgresServer.connect(empty);
                var statement = connection.createStatement()) {
            statement.execute("""
                    CREATE SCHEMA beside;
                    CREATE FUNCTION beside.refuse_haste() RETURNS event_trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        IF current_setting('idle_in_transaction_session_timeout') <> '0' THEN
                            RAISE EXCEPTION 'it could be cut off';
                        END IF;
                    END $$
                    """);
            statement.execute(
                    "CREATE EVENT TRIGGER refuse_haste ON ddl_command_start EXECUTE FUNCTION beside.refuse_haste()");
        }
        assertThatCode(() ->
                        PostgresDatabase.open(empty, "first", new SystemClock()).close())
                .doesNotThrowAnyException();
    }

    @Test
    void a_version_that_is_too_old_is_refused_with_an_explanation() throws Exception {
        upgradeTo(99);
        execute("UPDATE fact SET value = '98' WHERE name = 'oldest_schema'");
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(Broken.class, e -> assertThat(e.code()).isEqualTo("ledger_newer"))
                .hasMessageContaining("a newer Roost (schema 99)")
                .hasMessageContaining("which this version");
    }
}
