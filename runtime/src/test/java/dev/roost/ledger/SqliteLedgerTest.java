package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.run.Broken;
import dev.roost.run.Outcome;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract, and what is SQLite's own. */
class SqliteLedgerTest extends LedgerContract {

    @TempDir
    Path directory;

    @Override
    protected Ledger open() {
        return SqliteLedger.open(file(), clock);
    }

    private Path file() {
        return directory.resolve("roost.db");
    }

    private Connection byHand() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file());
    }

    /** Even whoever goes around the code meets the machine. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE attempt SET status = 'running'",
                "UPDATE attempt SET status = 'failed', cause = 'exit_code'",
                "UPDATE attempt SET result = 'another one'",
                "UPDATE attempt SET cause = NULL",
                "UPDATE attempt SET status = 'dozing'",
                "UPDATE attempt SET cause = 'tired'",
                "UPDATE attempt SET ended_at = NULL",
                "INSERT INTO notice (run_id, attempt, kind, sequence, owner, created_at)"
                        + " SELECT run_id, attempt, kind, sequence, owner, created_at FROM notice",
            })
    void the_schema_refuses_to_rewrite_an_end(String vandalism) throws SQLException {
        var run = running();
        ledger.finish(run, 1, end(new RunEvent.Exited(new Outcome.Completed())));
        try (var connection = byHand();
                var statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate(vandalism)).isInstanceOf(SQLException.class);
        }
        assertThat(ledger.find(run).orElseThrow().status()).isEqualTo(Status.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE attempt SET status = 'queued', phase = 'waiting_for_slot'",
                "UPDATE attempt SET status = 'completed', phase = NULL, cause = 'stopped', ended_at = 1, evidence = '{}'",
                "INSERT INTO attempt (run_id, n, status, phase, created_at)"
                        + " SELECT run_id, 2, 'queued', 'resuming', 1 FROM attempt",
            })
    void the_schema_refuses_what_the_machine_does_not_know(String vandalism) throws SQLException {
        running();
        try (var connection = byHand();
                var statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate(vandalism)).isInstanceOf(SQLException.class);
        }
    }

    /** On a Mac a sync is else over when the disk has taken it, not when the disk has it. */
    @Test
    void a_commit_is_asked_to_be_on_the_disk_itself() {
        try (var handle = new SqliteFile(file()).writing()) {
            assertThat(handle.select("PRAGMA fullfsync").one(Sql::count)).isEqualTo(1);
        }
    }

    @Test
    void a_ledger_of_a_newer_version_is_refused_and_not_touched() throws Exception {
        running();
        ledger.close();
        try (var connection = byHand();
                var statement = connection.createStatement()) {
            statement.executeUpdate("""
                    INSERT INTO flyway_schema_history
                    SELECT installed_rank + 1, '99', 'from the future', type, 'V99__future.sql', 1, installed_by, installed_on,
                           execution_time, success FROM flyway_schema_history ORDER BY installed_rank DESC LIMIT 1
                    """);
        }
        var before = Files.readAllBytes(file());
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        Broken.class, error -> assertThat(error.code()).isEqualTo("ledger_newer"));
        assertThat(Files.readAllBytes(file())).isEqualTo(before);
        try (var connection = byHand();
                var statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM flyway_schema_history WHERE version = '99'");
        }
        ledger = open();
    }

    @Test
    void a_ledger_of_an_older_version_is_migrated_after_a_back_up_was_made() throws Exception {
        ledger.close();
        Files.delete(file());
        Flyway.configure()
                .dataSource("jdbc:sqlite:" + file(), null, null)
                .locations("classpath:dev/roost/ledger/sqlite-migrations")
                .target("1")
                .load()
                .migrate();
        try (var connection = byHand();
                var statement = connection.createStatement()) {
            statement.executeUpdate("""
                    INSERT INTO run (id, owner, agent, driver, description, cwd, max_output, on_loss, attempt, created_at)
                    VALUES ('r_0123456789ab', 'claude:parent', 'command', 'command', 'make', '/', 1000, 'report', 1, 5)
                    """);
            statement.executeUpdate("""
                    INSERT INTO attempt (run_id, n, status, cause, evidence, result, created_at, started_at, ended_at)
                    VALUES ('r_0123456789ab', 1, 'completed', 'finished', '{}', 'done', 5, 6, 7)
                    """);
            statement.executeUpdate("""
                    INSERT INTO notice (run_id, attempt, kind, sequence, owner, created_at)
                    VALUES ('r_0123456789ab', 1, 'ended', 1, 'claude:parent', 7)
                    """);
        }
        ledger = open();
        var run = ledger.find(new RunId("r_0123456789ab")).orElseThrow();
        assertThat(run.depth()).isEqualTo(1);
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(run.profile()).contains("\"driver\":\"command\"");
        assertThat(ledger.result(run.id(), 1)).contains("done");
        assertThat(ledger.notices().pending(Optional.empty())).hasSize(1);
        var backUp = directory.resolve("roost.db.v1.bak");
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + backUp);
                var rows = connection.createStatement().executeQuery("SELECT id FROM run")) {
            assertThat(rows.getString("id")).isEqualTo("r_0123456789ab");
        }
    }

    @Test
    void a_damaged_ledger_is_refused_and_kept() throws Exception {
        running();
        ledger.close();
        byte[] whole = Files.readAllBytes(file());
        byte[] damaged = whole.clone();
        for (int i = 4096; i < damaged.length; i++) damaged[i] = (byte) (i * 31);
        Files.write(file(), damaged);

        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        Broken.class, error -> assertThat(error.code()).isEqualTo("ledger_broken"));

        assertThat(Files.readAllBytes(file())).isEqualTo(damaged);
        Files.write(file(), whole);
        ledger = open();
    }

    @Test
    void what_is_no_database_at_all_is_refused_and_kept() throws Exception {
        ledger.close();
        byte[] whole = Files.readAllBytes(file());
        Files.writeString(file(), "dear diary, ".repeat(1000));

        assertThatThrownBy(this::open).isInstanceOf(Broken.class);

        assertThat(file()).content().startsWith("dear diary");
        Files.write(file(), whole);
        ledger = open();
    }
}
