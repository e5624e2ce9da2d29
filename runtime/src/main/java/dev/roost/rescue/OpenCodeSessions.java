package dev.roost.rescue;

import dev.roost.base.TextFormat;
import dev.roost.rescue.LostAgent.Kind;
import dev.roost.rescue.LostAgent.State;
import dev.roost.rescue.LostAgent.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Finds OpenCode child sessions that stop in the middle of a turn, or whose parent was never notified of their end. */
final class OpenCodeSessions {

    private final Path database;
    private final ScanWindow window;

    OpenCodeSessions(ToolDirectories toolDirectories, ScanWindow window) {
        this.database = toolDirectories.openCode();
        this.window = window;
    }

    private record Child(String id, String parent, String title, Path cwd, Instant began) {}

    private record AssistantMessage(String id, JsonNode data) {}

    List<LostAgent> search() throws IOException, SQLException {
        if (!Files.isRegularFile(database)) return List.of();
        try (var copy = DatabaseCopy.of(database)) {
            var found = new ArrayList<LostAgent>();
            for (var child : children(copy.connection()))
                judge(copy.connection(), child).ifPresent(found::add);
            return found;
        }
    }

    private List<Child> children(Connection connection) throws SQLException {
        try (var query = connection.prepareStatement("""
                SELECT id, parent_id, title, directory, time_created FROM session
                 WHERE parent_id IS NOT NULL AND time_updated >= ?
                 ORDER BY time_created, id
                """)) {
            query.setLong(1, window.since().toEpochMilli());
            var children = new ArrayList<Child>();
            try (var rows = query.executeQuery()) {
                while (rows.next())
                    children.add(new Child(
                            rows.getString("id"),
                            rows.getString("parent_id"),
                            rows.getString("title"),
                            Path.of(rows.getString("directory")),
                            Instant.ofEpochMilli(rows.getLong("time_created"))));
            }
            return children;
        }
    }

    private Optional<LostAgent> judge(Connection connection, Child child) throws SQLException {
        var latest = latest(connection, child);
        boolean finished = latest.map(OpenCodeSessions::finished).orElse(false);
        if (wasDelivered(connection, child)) return Optional.empty();
        var agent = new LostAgent(
                Tool.OPENCODE,
                Kind.AGENT,
                child.id(),
                child.parent(),
                Optional.of(child.id()),
                TextFormat.printable(child.title()),
                Optional.of(child.cwd()),
                child.began(),
                lastSign(connection, child),
                finished ? State.FINISHED : State.CUT,
                finished ? messageText(connection, latest.orElseThrow()) : lastText(connection, child),
                finished ? Optional.empty() : doing(connection, child),
                finished
                        ? "it finished, and its parent was never told"
                        : "it stops in the middle of a turn, and its parent was never told",
                database);
        return Optional.of(window.liveProcesses()
                .findHolder(database, agent.lastSign())
                .map(pid -> agent.atWork("process %d was there then and is still".formatted(pid)))
                .orElseGet(() -> window.unlessRecent(agent)));
    }

    private static Optional<AssistantMessage> latest(Connection connection, Child child) throws SQLException {
        return first(
                connection,
                "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1",
                rows -> JsonLinesFile.parse(rows.getString("data")).map(data -> new AssistantMessage(idOf(rows), data)),
                child.id());
    }

    private static String idOf(ResultSet rows) {
        try {
            return rows.getString("id");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean finished(AssistantMessage message) {
        var data = message.data();
        return data.path("role").asString("").equals("assistant")
                && data.path("finish").asString("").equals("stop")
                && data.path("time").has("completed")
                && !data.has("error");
    }

    /** Whether the parent has the result of the call that started the child, or has answered a message with it. */
    private static boolean wasDelivered(Connection connection, Child child) throws SQLException {
        var byResult = first(connection, """
                SELECT 1 FROM part
                 WHERE session_id = ? AND json_extract(data, '$.tool') = 'task'
                   AND json_extract(data, '$.state.metadata.sessionId') = ?
                   AND json_extract(data, '$.state.status') IN ('completed', 'error')
                   AND coalesce(json_extract(data, '$.state.output'), '') NOT LIKE '<task id=% state="running">%'
                """, _ -> Optional.of(true), child.parent(), child.id());
        if (byResult.isPresent()) return true;
        return first(connection, """
                        SELECT 1 FROM part p JOIN message notice ON notice.id = p.message_id
                         WHERE p.session_id = ? AND json_extract(p.data, '$.type') = 'text'
                           AND json_extract(notice.data, '$.role') = 'user'
                           AND instr(json_extract(p.data, '$.text'), '<task id="' || ? || '" state="') = 1
                           AND EXISTS (SELECT 1 FROM message m JOIN part answer ON answer.message_id = m.id
                                        WHERE m.session_id = p.session_id AND m.time_created >= notice.time_created
                                          AND json_extract(m.data, '$.role') = 'assistant')
                        """, _ -> Optional.of(true), child.parent(), child.id())
                .isPresent();
    }

    private static Instant lastSign(Connection connection, Child child) throws SQLException {
        return first(connection, """
                        SELECT max(at) FROM (SELECT max(time_updated) AS at FROM part WHERE session_id = ?
                                   UNION ALL SELECT max(time_updated) FROM message WHERE session_id = ?)
                        """, rows -> Optional.of(rows.getLong(1)).filter(at -> at > 0), child.id(), child.id())
                .map(Instant::ofEpochMilli)
                .orElse(child.began());
    }

    private static String messageText(Connection connection, AssistantMessage message) throws SQLException {
        return first(connection, """
                        SELECT group_concat(json_extract(data, '$.text'), char(10)) FROM
                            (SELECT data FROM part WHERE message_id = ? AND json_extract(data, '$.type') = 'text'
                              ORDER BY time_created, id)
                        """, rows -> Optional.ofNullable(rows.getString(1)), message.id())
                .orElse("");
    }

    private static String lastText(Connection connection, Child child) throws SQLException {
        return first(connection, """
                        SELECT json_extract(p.data, '$.text') FROM part p JOIN message m ON m.id = p.message_id
                         WHERE p.session_id = ? AND json_extract(p.data, '$.type') = 'text'
                           AND json_extract(m.data, '$.role') = 'assistant'
                         ORDER BY p.time_created DESC, p.id DESC LIMIT 1
                        """, rows -> Optional.ofNullable(rows.getString(1)), child.id())
                .orElse("");
    }

    private static Optional<String> doing(Connection connection, Child child) throws SQLException {
        return first(
                connection,
                """
                SELECT data FROM part
                 WHERE session_id = ? AND json_extract(data, '$.type') = 'tool'
                   AND json_extract(data, '$.state.status') IN ('pending', 'running')
                 ORDER BY time_created DESC LIMIT 1
                """,
                rows -> JsonLinesFile.parse(rows.getString(1))
                        .map(data -> ToolCall.inWords(
                                data.path("tool").asString("a tool"),
                                data.path("state").path("input"))),
                child.id());
    }

    @FunctionalInterface
    private interface Row<T> {
        Optional<T> read(ResultSet rows) throws SQLException;
    }

    private static <T> Optional<T> first(Connection connection, String sql, Row<T> row, String... values)
            throws SQLException {
        try (var query = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) query.setString(i + 1, values[i]);
            try (var rows = query.executeQuery()) {
                return rows.next() ? row.read(rows) : Optional.empty();
            }
        }
    }
}
