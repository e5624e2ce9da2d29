package dev.roost.rescue;

import dev.roost.agents.JsonLines;
import dev.roost.base.TextFormat;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.rescue.LostAgent.Kind;
import dev.roost.rescue.LostAgent.State;
import dev.roost.rescue.LostAgent.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
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
            var sql = new SqlConnection(copy.connection());
            var found = new ArrayList<LostAgent>();
            for (var child : children(sql)) judge(sql, child).ifPresent(found::add);
            return found;
        }
    }

    private List<Child> children(SqlConnection sql) {
        return sql.select("""
                        SELECT id, parent_id, title, directory, time_created FROM session
                         WHERE parent_id IS NOT NULL AND time_updated >= ?
                         ORDER BY time_created, id
                        """, window.since().toEpochMilli())
                .list(row -> new Child(
                        row.getString("id"),
                        row.getString("parent_id"),
                        row.getString("title"),
                        Path.of(row.getString("directory")),
                        Instant.ofEpochMilli(row.getLong("time_created"))));
    }

    private Optional<LostAgent> judge(SqlConnection sql, Child child) {
        var latest = latest(sql, child);
        boolean finished = latest.map(OpenCodeSessions::finished).orElse(false);
        if (wasDelivered(sql, child)) return Optional.empty();
        var agent = new LostAgent(
                Tool.OPENCODE,
                Kind.AGENT,
                child.id(),
                child.parent(),
                Optional.of(child.id()),
                TextFormat.printable(child.title()),
                Optional.of(child.cwd()),
                child.began(),
                lastSign(sql, child),
                finished ? State.FINISHED : State.CUT,
                finished ? messageText(sql, latest.orElseThrow()) : lastText(sql, child),
                finished ? Optional.empty() : doing(sql, child),
                finished
                        ? "it finished, and its parent was never told"
                        : "it stops in the middle of a turn, and its parent was never told",
                database);
        var holder = window.liveProcesses().findHolder(database, agent.lastSign());
        return Optional.of(window.unlessAtWork(agent, holder, "process %d was there then and is still"));
    }

    private static Optional<AssistantMessage> latest(SqlConnection sql, Child child) {
        return first(
                        sql,
                        "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1",
                        row -> {
                            var id = row.getString("id");
                            return JsonLines.object(row.getString("data").strip())
                                    .map(data -> new AssistantMessage(id, data));
                        },
                        child.id())
                .flatMap(message -> message);
    }

    private static boolean finished(AssistantMessage message) {
        var data = message.data();
        return data.path("role").asString("").equals("assistant")
                && data.path("finish").asString("").equals("stop")
                && data.path("time").has("completed")
                && !data.has("error");
    }

    /** Whether the parent has the result of the call that started the child, or has answered a message with it. */
    private static boolean wasDelivered(SqlConnection sql, Child child) {
        var byResult = first(sql, """
                SELECT 1 FROM part
                 WHERE session_id = ? AND json_extract(data, '$.tool') = 'task'
                   AND json_extract(data, '$.state.metadata.sessionId') = ?
                   AND json_extract(data, '$.state.status') IN ('completed', 'error')
                   AND coalesce(json_extract(data, '$.state.output'), '') NOT LIKE '<task id=% state="running">%'
                """, _ -> true, child.parent(), child.id());
        if (byResult.isPresent()) return true;
        return first(sql, """
                        SELECT 1 FROM part p JOIN message notice ON notice.id = p.message_id
                         WHERE p.session_id = ? AND json_extract(p.data, '$.type') = 'text'
                           AND json_extract(notice.data, '$.role') = 'user'
                           AND instr(json_extract(p.data, '$.text'), '<task id="' || ? || '" state="') = 1
                           AND EXISTS (SELECT 1 FROM message m JOIN part answer ON answer.message_id = m.id
                                        WHERE m.session_id = p.session_id AND m.time_created >= notice.time_created
                                          AND json_extract(m.data, '$.role') = 'assistant')
                        """, _ -> true, child.parent(), child.id()).isPresent();
    }

    private static Instant lastSign(SqlConnection sql, Child child) {
        return first(sql, """
                        SELECT max(at) FROM (SELECT max(time_updated) AS at FROM part WHERE session_id = ?
                                   UNION ALL SELECT max(time_updated) FROM message WHERE session_id = ?)
                        """, SqlConnection::number, child.id(), child.id())
                .filter(at -> at > 0)
                .map(Instant::ofEpochMilli)
                .orElse(child.began());
    }

    private static String messageText(SqlConnection sql, AssistantMessage message) {
        return first(sql, """
                        SELECT coalesce(group_concat(json_extract(data, '$.text'), char(10)), '') FROM
                            (SELECT data FROM part WHERE message_id = ? AND json_extract(data, '$.type') = 'text'
                              ORDER BY time_created, id)
                        """, SqlConnection::text, message.id()).orElse("");
    }

    private static String lastText(SqlConnection sql, Child child) {
        return first(sql, """
                        SELECT coalesce(json_extract(p.data, '$.text'), '') FROM part p JOIN message m ON m.id = p.message_id
                         WHERE p.session_id = ? AND json_extract(p.data, '$.type') = 'text'
                           AND json_extract(m.data, '$.role') = 'assistant'
                         ORDER BY p.time_created DESC, p.id DESC LIMIT 1
                        """, SqlConnection::text, child.id()).orElse("");
    }

    private static Optional<String> doing(SqlConnection sql, Child child) {
        return first(sql, """
                SELECT data FROM part
                 WHERE session_id = ? AND json_extract(data, '$.type') = 'tool'
                   AND json_extract(data, '$.state.status') IN ('pending', 'running')
                 ORDER BY time_created DESC LIMIT 1
                """, SqlConnection::text, child.id())
                .flatMap(data -> JsonLines.object(data.strip()))
                .map(data -> LostAgent.call(
                        data.path("tool").asString("a tool"), data.path("state").path("input")));
    }

    private static <T> Optional<T> first(
            SqlConnection sql, String query, SqlConnection.RowReader<T> reader, String... values) {
        return sql.select(query, (Object[]) values).list(reader).stream().findFirst();
    }

    /**
     * A copy of a SQLite database that another program may be writing to. Even a reader of the original would take its locks and
     * write to its shared memory, so this class copies the file and its write-ahead log, and opens the copy.
     */
    static final class DatabaseCopy implements AutoCloseable {

        private static final int TRIES = 5;

        private final Path folder;
        private final Connection connection;

        private DatabaseCopy(Path folder, Connection connection) {
            this.folder = folder;
            this.connection = connection;
        }

        static DatabaseCopy of(Path database) throws IOException, SQLException {
            var folder = Files.createTempDirectory("roost-rescue-");
            try {
                var copy = folder.resolve("copy.db");
                copyUnchanged(database, copy);
                return new DatabaseCopy(folder, DriverManager.getConnection("jdbc:sqlite:" + copy));
            } catch (IOException | SQLException | RuntimeException e) {
                delete(folder);
                throw e;
            }
        }

        /** Copies both files; retries if one of them changes meanwhile, because the copies would not match. */
        private static void copyUnchanged(Path database, Path copy) throws IOException {
            for (int i = 0; i < TRIES; i++) {
                var before = fileStates(database);
                Files.deleteIfExists(log(copy));
                Files.deleteIfExists(copy);
                Files.copy(database, copy);
                if (Files.exists(log(database))) Files.copy(log(database), log(copy));
                if (fileStates(database).equals(before)) return;
            }
            throw new IOException("it is being written to all the time");
        }

        private static Path log(Path database) {
            return database.resolveSibling(database.getFileName() + "-wal");
        }

        private static List<String> fileStates(Path database) throws IOException {
            return List.of(fileState(database), fileState(log(database)));
        }

        private static String fileState(Path file) throws IOException {
            if (!Files.exists(file)) return "";
            return Files.size(file) + " " + Files.getLastModifiedTime(file);
        }

        Connection connection() {
            return connection;
        }

        @Override
        public void close() throws SQLException {
            try {
                connection.close();
            } finally {
                delete(folder);
            }
        }

        private static void delete(Path folder) {
            for (var name : List.of("copy.db", "copy.db-wal", "copy.db-shm", "copy.db-journal", "")) {
                try {
                    Files.deleteIfExists(Optional.of(name)
                            .filter(one -> !one.isEmpty())
                            .map(folder::resolve)
                            .orElse(folder));
                } catch (IOException e) {
                    System.getLogger(DatabaseCopy.class.getName())
                            .log(System.Logger.Level.DEBUG, "a copy could not be removed", e);
                }
            }
        }
    }
}
