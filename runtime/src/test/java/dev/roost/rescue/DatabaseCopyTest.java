package dev.roost.rescue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A copy of a database that another program has open. */
class DatabaseCopyTest {

    @TempDir
    Path directory;

    @Test
    void rows_in_the_write_ahead_log_are_read_without_blocking_the_writer() throws Exception {
        var file = directory.resolve("theirs.db");
        try (var writer = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            run(writer, "PRAGMA journal_mode = WAL");
            run(writer, "PRAGMA busy_timeout = 0");
            run(writer, "CREATE TABLE word (text TEXT)");
            run(writer, "INSERT INTO word VALUES ('said')");
            assertThat(Files.size(file.resolveSibling("theirs.db-wal"))).isPositive();
            var before = Files.readAllBytes(file.resolveSibling("theirs.db-shm"));

            try (var copy = OpenCodeSessions.DatabaseCopy.of(file);
                    var rows = copy.connection().createStatement().executeQuery("SELECT text FROM word")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("said");
                assertThat(Files.readAllBytes(file.resolveSibling("theirs.db-shm")))
                        .isEqualTo(before);
                run(writer, "BEGIN EXCLUSIVE");
                run(writer, "INSERT INTO word VALUES ('more')");
                run(writer, "COMMIT");
            }
        }
    }

    private static void run(Connection connection, String sql) throws Exception {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
