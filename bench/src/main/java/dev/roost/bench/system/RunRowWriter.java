package dev.roost.bench.system;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Writes the rows of a run's lifecycle step by step, without any decision, to any database with the tables. */
final class RunRowWriter implements AutoCloseable {

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

    /** The same columns for a database without Roost's tables; with primary keys, without further indexes. */
    static final String TABLES = """
            CREATE TABLE IF NOT EXISTS run (
                id TEXT PRIMARY KEY, name TEXT, owner TEXT NOT NULL, agent TEXT NOT NULL, driver TEXT NOT NULL, profile TEXT NOT NULL,
                description TEXT NOT NULL, cwd TEXT NOT NULL, max_time_ms BIGINT, max_tokens BIGINT, max_cost_micros BIGINT,
                max_turns BIGINT, max_output BIGINT NOT NULL, on_loss TEXT NOT NULL, depth INT NOT NULL, parent TEXT,
                notify TEXT NOT NULL, call_key TEXT, attempt INT NOT NULL, created_at BIGINT NOT NULL
            );
            CREATE TABLE IF NOT EXISTS attempt (
                run_id TEXT NOT NULL REFERENCES run, n INT NOT NULL, turn INT NOT NULL, status TEXT NOT NULL, phase TEXT,
                parked_until BIGINT, output_bytes BIGINT NOT NULL, transcript_bytes BIGINT NOT NULL, created_at BIGINT NOT NULL,
                started_at BIGINT, node TEXT, perch_pid BIGINT, perch_start BIGINT, agent_pid BIGINT, agent_start BIGINT,
                boot_id TEXT, began_mono_ns BIGINT, began_slept_ns BIGINT, cause TEXT, evidence TEXT, ended_at BIGINT,
                result_bytes BIGINT, PRIMARY KEY (run_id, n)
            );
            CREATE TABLE IF NOT EXISTS notice (
                id BIGSERIAL PRIMARY KEY, run_id TEXT NOT NULL REFERENCES run, attempt INT NOT NULL, kind TEXT NOT NULL,
                sequence INT NOT NULL, owner TEXT NOT NULL, created_at BIGINT NOT NULL
            );
            CREATE TABLE IF NOT EXISTS event (
                id BIGSERIAL PRIMARY KEY, run_id TEXT NOT NULL REFERENCES run, attempt INT NOT NULL, at BIGINT NOT NULL,
                kind TEXT NOT NULL, text TEXT NOT NULL
            );
            """;

    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    RunRowWriter(Connection connection) {
        this.connection = connection;
    }

    /** The rows of one step of a run. */
    interface Step {
        void of(RunRowWriter runRowWriter, String id) throws SQLException;
    }

    void submitted(String id) throws SQLException {
        execute(RUN, id, owner(id), now());
        execute(QUEUED, id, now());
        event(id, "submitted");
    }

    void claimed(String id) throws SQLException {
        execute(CLAIMED, now(), id);
        event(id, "claimed");
    }

    void began(String id) throws SQLException {
        execute(BEGAN, id);
        event(id, "began");
    }

    void ended(String id) throws SQLException {
        execute(ENDED, now(), id);
        execute(NOTICE, id, owner(id), now());
        event(id, "ended");
    }

    private void event(String id, String kind) throws SQLException {
        execute(EVENT, id, now(), kind);
    }

    private void execute(String sql, Object... values) throws SQLException {
        var statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof Long number) statement.setLong(i + 1, number);
            else statement.setString(i + 1, (String) values[i]);
        }
        statement.executeUpdate();
    }

    private static String owner(String id) {
        return "bench:" + id.charAt(id.length() - 1);
    }

    private static long now() {
        return System.currentTimeMillis();
    }

    @Override
    public void close() throws SQLException {
        for (var statement : statements.values()) statement.close();
    }
}
