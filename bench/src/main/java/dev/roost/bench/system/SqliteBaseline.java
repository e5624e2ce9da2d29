package dev.roost.bench.system;

import dev.roost.base.Clock;
import dev.roost.ledger.SqliteLedger;
import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The limit of disk and SQLite: writes only the rows of a run's lifecycle. It has no callers, caps or state checks, and commits
 * each of the four steps for a whole group of runs.
 */
public final class SqliteBaseline implements AutoCloseable {

    private final Clock clock;
    private final Connection connection;

    public SqliteBaseline(Path file, Clock clock) throws SQLException {
        SqliteLedger.open(file, clock).close(); // creates the tables
        this.clock = clock;
        this.connection = DriverManager.getConnection("jdbc:sqlite:" + file + "?jdbc.get_generated_keys=false");
        try (var pragma = connection.createStatement()) {
            pragma.execute("PRAGMA journal_mode = WAL");
            pragma.execute("PRAGMA synchronous = FULL");
            pragma.execute("PRAGMA foreign_keys = ON");
        }
        connection.setAutoCommit(false);
    }

    /** {@code runs} lifecycles, in groups of {@code group}. */
    public void live(int runs, int group) throws SQLException {
        try (var runRowWriter = new RunRowWriter(connection)) {
            for (int done = 0; done < runs; done += group) {
                var ids = new ArrayList<String>();
                for (int i = 0; i < group; i++)
                    ids.add(RunId.create(clock.now()).text());
                for (var step : List.<RunRowWriter.Step>of(
                        RunRowWriter::submitted, RunRowWriter::claimed, RunRowWriter::began, RunRowWriter::ended)) {
                    for (var id : ids) step.of(runRowWriter, id);
                    connection.commit();
                }
            }
        }
    }

    /** Appends a short line to a file and syncs it, {@code count} times. */
    public static void append(Path file, int count) throws IOException {
        try (var channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            var line = ByteBuffer.allocate(512);
            for (int i = 0; i < count; i++) {
                channel.write(line.rewind());
                channel.force(false);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
