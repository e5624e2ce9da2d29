package dev.roost.bench;

import dev.roost.ledger.SqliteLedger;
import dev.roost.run.Clock;
import dev.roost.run.RunId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the disk and SQLite alone can do: the rows of a run's life and nothing else. Nobody asks, nobody is answered, no slot is
 * counted, no state is looked at; each of its four steps is committed for a whole group of runs at once.
 */
final class Floor implements AutoCloseable {

    private static final String RUN = """
            INSERT INTO run (id, name, owner, agent, driver, profile, description, cwd, max_time_ms, max_tokens, max_cost_micros,
                             max_turns, max_output, on_loss, depth, parent, notify, call_key, attempt, created_at)
            VALUES (?, NULL, ?, 'command', 'command', '{}', 'bench', '/', NULL, NULL, NULL, NULL, 1073741824, 'report', 1, NULL, 'done',
                    NULL, 1, ?)""";
    private static final String QUEUED = """
            INSERT INTO attempt (run_id, n, turn, status, phase, parked_until, output_bytes, transcript_bytes, created_at)
            VALUES (?, 1, 1, 'queued', 'waiting_for_slot', NULL, 0, 0, ?)""";
    private static final String CLAIMED = """
            UPDATE attempt SET status = 'running', phase = 'starting', started_at = ?, parked_until = NULL, node = ''
             WHERE run_id = ? AND n = 1""";
    private static final String BEGAN = """
            UPDATE attempt SET perch_pid = 1, perch_start = 1, agent_pid = 1, agent_start = 1, boot_id = 'bench', began_mono_ns = 0,
                               began_slept_ns = 0, phase = 'working'
             WHERE run_id = ? AND n = 1""";
    private static final String ENDED = """
            UPDATE attempt SET status = 'completed_empty', phase = NULL, cause = 'finished', evidence = '{}', ended_at = ?,
                               result_bytes = 0
             WHERE run_id = ? AND n = 1""";
    private static final String NOTICE = """
            INSERT INTO notice (run_id, attempt, kind, sequence, owner, created_at) VALUES (?, 1, 'ended', 1, ?, ?)""";
    private static final String EVENT =
            "INSERT INTO event (run_id, attempt, at, kind, text) VALUES (?, 1, ?, ?, 'what happened')";

    private final Clock clock;
    private final Connection connection;

    Floor(Path file, Clock clock) throws SQLException {
        SqliteLedger.open(file, clock).close(); // for its tables
        this.clock = clock;
        this.connection = DriverManager.getConnection("jdbc:sqlite:" + file + "?jdbc.get_generated_keys=false");
        try (var pragma = connection.createStatement()) {
            pragma.execute("PRAGMA journal_mode = WAL");
            pragma.execute("PRAGMA synchronous = FULL");
            pragma.execute("PRAGMA foreign_keys = ON");
        }
        connection.setAutoCommit(false);
    }

    /** {@code runs} lives, {@code group} of them at once. */
    void live(int runs, int group) throws SQLException {
        try (var run = connection.prepareStatement(RUN);
                var queued = connection.prepareStatement(QUEUED);
                var claimed = connection.prepareStatement(CLAIMED);
                var began = connection.prepareStatement(BEGAN);
                var ended = connection.prepareStatement(ENDED);
                var notice = connection.prepareStatement(NOTICE);
                var event = connection.prepareStatement(EVENT)) {
            for (int done = 0; done < runs; done += group) {
                var ids = new ArrayList<String>();
                for (int i = 0; i < group; i++)
                    ids.add(RunId.create(clock.now()).text());
                step(ids, event, "submitted", id -> {
                    execute(run, id, owner(id), now());
                    execute(queued, id, now());
                });
                step(ids, event, "claimed", id -> execute(claimed, now(), id));
                step(ids, event, "began", id -> execute(began, id));
                step(ids, event, "ended", id -> {
                    execute(ended, now(), id);
                    execute(notice, id, owner(id), now());
                });
            }
        }
    }

    private interface Step {
        void of(String id) throws SQLException;
    }

    private void step(List<String> ids, PreparedStatement event, String kind, Step step) throws SQLException {
        for (var id : ids) {
            step.of(id);
            execute(event, id, now(), kind);
        }
        connection.commit();
    }

    private static void execute(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof Long number) statement.setLong(i + 1, number);
            else statement.setString(i + 1, (String) values[i]);
        }
        statement.executeUpdate();
    }

    private static String owner(String id) {
        return "bench:" + id.charAt(id.length() - 1);
    }

    private long now() {
        return clock.now().toEpochMilli();
    }

    /** A small line at the end of a file, and onto the disk: {@code count} times. */
    static void append(Path file, int count) throws IOException {
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
