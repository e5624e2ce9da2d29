package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.roost.base.Broken;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.db.SqliteDatabase;
import dev.roost.ledger.db.SqliteSchema;
import dev.roost.model.Outcome;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ledger contract over SQLite, and tests specific to SQLite. */
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

    private Connection directConnection() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file());
    }

    /** The schema enforces the state machine also against writes that bypass the code. */
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
    void the_schema_refuses_to_rewrite_an_end(String invalidChange) throws SQLException {
        var run = running();
        ledger.finish(run, 1, end(new RunEvent.Exited(new Outcome.Completed())));
        try (var connection = directConnection();
                var statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate(invalidChange)).isInstanceOf(SQLException.class);
        }
        assertThat(ledger.runs().find(run).orElseThrow().status()).isEqualTo(Status.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE attempt SET status = 'queued', phase = 'waiting_for_slot'",
                "UPDATE attempt SET status = 'completed', phase = NULL, cause = 'stopped', ended_at = 1, evidence = '{}'",
                "INSERT INTO attempt (run_id, n, status, phase, created_at)"
                        + " SELECT run_id, 2, 'queued', 'resuming', 1 FROM attempt",
            })
    void the_schema_refuses_states_outside_of_the_state_machine(String invalidChange) throws SQLException {
        running();
        try (var connection = directConnection();
                var statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate(invalidChange)).isInstanceOf(SQLException.class);
        }
    }

    /** Without it, a sync on macOS returns when the disk has received the data, before it has stored them. */
    @Test
    void a_connection_requests_full_fsync() {
        try (var handle = new SqliteDatabase(file()).writing()) {
            assertThat(handle.select("PRAGMA fullfsync").one(SqlConnection::count))
                    .isEqualTo(1);
        }
    }

    @Test
    void a_ledger_of_a_newer_version_is_refused_and_unchanged() throws Exception {
        running();
        ledger.close();
        try (var connection = directConnection();
                var statement = connection.createStatement()) {
            statement.executeUpdate("""
                    INSERT INTO flyway_schema_history
                    SELECT installed_rank + 1, '99', 'from the future', type, 'V99__future.sql', 1, installed_by, installed_on,
                           execution_time, success FROM flyway_schema_history ORDER BY installed_rank DESC LIMIT 1
                    """);
        }
        var before = Files.readAllBytes(file());
        Files.createFile(directory.resolve("roost.db.v5.bak"));
        Files.createFile(directory.resolve("roost.db.v98.bak")); // of a schema that this version does not know
        assertThatThrownBy(this::open).isInstanceOfSatisfying(Broken.class, error -> {
            assertThat(error.code()).isEqualTo("ledger_newer");
            assertThat(error.hint()).contains("roost.db.v5.bak").doesNotContain("v98");
        });
        assertThat(Files.readAllBytes(file())).isEqualTo(before);
        try (var connection = directConnection();
                var statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM flyway_schema_history WHERE version = '99'");
        }
        ledger = open();
    }

    @Test
    void a_ledger_of_an_older_version_is_migrated_after_a_backup() throws Exception {
        writeFirstVersion("done");
        var log = new CopyOnWriteArrayList<String>();
        var logger = Logger.getLogger(SqliteSchema.class.getName());
        var listener = new StreamHandler() {
            @Override
            public synchronized void publish(LogRecord record) {
                log.add(new SimpleFormatter().formatMessage(record));
            }
        };
        logger.setLevel(Level.INFO);
        logger.addHandler(listener);
        ledger = open();
        logger.removeHandler(listener);
        assertThat(log).singleElement(STRING).contains("from schema 1 to ").contains("roost.db.v1.bak");
        var run = ledger.runs().find(new RunId("r_0123456789ab")).orElseThrow();
        assertThat(run.depth()).isEqualTo(1);
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(run.profile()).contains("\"driver\":\"command\"");
        assertThat(ledger.runs().result(run.id(), 1)).contains("done");
        assertThat(ledger.notices().pending(Optional.empty())).hasSize(1);
        var backup = directory.resolve("roost.db.v1.bak");
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + backup);
                var rows = connection.createStatement().executeQuery("SELECT id FROM run")) {
            assertThat(rows.getString("id")).isEqualTo("r_0123456789ab");
        }
    }

    /** Writes a ledger with the schema of the first version and one run. */
    private void writeFirstVersion(String result) throws Exception {
        ledger.close();
        Files.delete(file());
        Flyway.configure()
                .dataSource("jdbc:sqlite:" + file(), null, null)
                .locations("classpath:dev/roost/ledger/db/sqlite-migrations")
                .target("1")
                .load()
                .migrate();
        try (var connection = directConnection();
                var statement = connection.createStatement()) {
            statement.executeUpdate("""
                    INSERT INTO run (id, owner, agent, driver, description, cwd, max_output, on_loss, attempt, created_at)
                    VALUES ('r_0123456789ab', 'claude:parent', 'command', 'command', 'make', '/', 1000, 'report', 1, 5)
                    """);
            statement.executeUpdate("""
                    INSERT INTO attempt (run_id, n, status, cause, evidence, result, created_at, started_at, ended_at)
                    VALUES ('r_0123456789ab', 1, 'completed', 'finished', '{}', '%s', 5, 6, 7)
                    """.formatted(result));
            statement.executeUpdate("""
                    INSERT INTO notice (run_id, attempt, kind, sequence, owner, created_at)
                    VALUES ('r_0123456789ab', 1, 'ended', 1, 'claude:parent', 7)
                    """);
        }
    }

    @Test
    void a_disk_that_fills_during_a_migration_leaves_the_ledger_unchanged() throws Exception {
        writeFirstVersion(
                "much ".repeat(160_000)); // the third migration copies the result, so it needs that space again
        var old = Files.readAllBytes(file());
        onDiskOf("2m", disk -> {
            var ledger = Files.write(disk.resolve("roost.db"), old);
            assertThatThrownBy(() -> SqliteLedger.open(ledger, clock)).isInstanceOfSatisfying(Broken.class, error -> {
                assertThat(error.code()).isEqualTo("disk_full");
                assertThat(error.hint()).contains("roost.db.v1.bak").contains("Free some space");
            });
            try (var connection = DriverManager.getConnection("jdbc:sqlite:" + ledger);
                    var rows = connection
                            .createStatement()
                            .executeQuery(
                                    "SELECT max(CAST(version AS INTEGER)) AS schema FROM flyway_schema_history")) {
                assertThat(rows.getInt("schema")).as("all migrations or none").isEqualTo(1);
            }
        });
        ledger = open();
    }

    @Test
    void a_ledger_is_not_migrated_without_space_for_the_backup() throws Exception {
        writeFirstVersion("much ".repeat(160_000));
        var old = Files.readAllBytes(file());
        onDiskOf("1200k", disk -> {
            var ledger = Files.write(disk.resolve("roost.db"), old);
            assertThatThrownBy(() -> SqliteLedger.open(ledger, clock)).isInstanceOfSatisfying(Broken.class, error -> {
                assertThat(error.code()).isEqualTo("disk_full");
                assertThat(error.sentence()).contains("roost.db.v1.bak");
                assertThat(error.hint()).contains("Free some space").doesNotContain("another path");
            });
            try (var left = Files.list(disk)) {
                assertThat(left).noneMatch(file -> file.toString().contains(".bak"));
            }
        });
        ledger = open();
    }

    private interface OnDisk {
        void run(Path disk) throws Exception;
    }

    private void onDiskOf(String size, OnDisk test) throws Exception {
        var disk = Files.createDirectory(directory.resolve("disk"));
        command("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", disk.toString());
        try {
            test.run(disk);
        } finally {
            command("umount", disk.toString());
        }
    }

    private static void command(String... argv) throws Exception {
        assertThat(new ProcessBuilder(argv).inheritIO().start().waitFor())
                .as(String.join(" ", argv))
                .isZero();
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
    void a_file_that_is_no_database_is_refused_and_kept() throws Exception {
        ledger.close();
        byte[] whole = Files.readAllBytes(file());
        Files.writeString(file(), "dear diary, ".repeat(1000));

        assertThatThrownBy(this::open).isInstanceOf(Broken.class);

        assertThat(file()).content().startsWith("dear diary");
        Files.write(file(), whole);
        ledger = open();
    }
}
