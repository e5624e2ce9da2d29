package dev.roost.cluster.migrate;

import dev.roost.base.ErrorCode;
import dev.roost.cluster.db.SqlArray;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.Owner;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Inserts the rows of an embedded ledger into the shared one, in one transaction. Numbered rows get new numbers in the same
 * order. Event numbers are shifted above the existing ones, so that they still increase with time for subscribers.
 */
final class RowMigration {

    /** In the order of their foreign keys; each with the column by which its rows are counted afterwards. */
    private static final List<Table> TABLES = List.of(
            new Table("run", "id"),
            new Table("attempt", "run_id"),
            new Table("pause", "id"),
            new Table("pause_remark", "pause"),
            new Table("paused", "run_id"),
            new Table("offer", "id"),
            new Table("notice", "id"),
            new Table("delivery", "notice"),
            new Table("message", "run_id"),
            new Table("sent", "run_id"),
            new Table("token", "id"),
            new Table("work", "run_id"),
            new Table("event", "run_id"));

    private static final Set<String> NUMBERED = Set.of("pause", "offer", "notice", "message");
    private static final String OF_MESSAGE = "message:";

    private record Table(String name, String key) {}

    private final EmbeddedLedgerFile from;
    private final SqlConnection to;
    private final String node;
    private final Map<String, Map<Long, Long>> numbers = new HashMap<>();
    private final Set<String> takenCalls = new HashSet<>();
    private long shift;

    RowMigration(EmbeddedLedgerFile from, SqlConnection to, String node) {
        this.from = from;
        this.to = to;
        this.node = node;
    }

    /** Returns the number of rows by table. If it fails, the transaction inserts nothing. */
    SequencedMap<String, Long> copyAll(LedgerMigration.MigrationProgress progress) throws SQLException, IOException {
        for (var table : NUMBERED) numbers.put(table, numbers(table));
        takenCalls.addAll(to.select(
                        "SELECT call_key FROM run WHERE call_key = ANY (?)",
                        SqlArray.texts(from.texts("SELECT call_key FROM run WHERE call_key IS NOT NULL")))
                .list(SqlConnection::text));
        int done = 0;
        var moved = new LinkedHashMap<String, Long>();
        from.each("owner", this::owner);
        from.each("spend", this::spend);
        for (var table : TABLES) {
            progress.at("tables", done++, TABLES.size());
            if (table.name.equals("event")) shift = shiftEvents(); // last, because it blocks all other writers
            BulkCopy.copy(from, to.connection(), table.name, (column, value) -> changed(table.name, column, value));
            moved.put(table.name, counted(table));
        }
        progress.at("tables", TABLES.size(), TABLES.size());
        return moved;
    }

    /** The rows of an earlier, completed move. */
    static SequencedMap<String, Long> counts(EmbeddedLedgerFile from) {
        var counts = new LinkedHashMap<String, Long>();
        for (var table : TABLES) counts.put(table.name, from.count(table.name));
        return counts;
    }

    /** Reserves as many numbers as there are rows, in the order of the old ones. */
    private Map<Long, Long> numbers(String table) {
        var old = from.texts("SELECT id FROM %s ORDER BY id".formatted(table));
        var fresh = to.select("""
                        SELECT nextval(pg_get_serial_sequence(?, 'id')) FROM generate_series(1, ?) ORDER BY 1
                        """, table, old.size()).list(SqlConnection::number);
        var both = new HashMap<Long, Long>();
        for (int i = 0; i < old.size(); i++) both.put(Long.valueOf(old.get(i)), fresh.get(i));
        return both;
    }

    private long shiftEvents() {
        long newest = from.newestEvent();
        return to.select("UPDATE happened SET last = last + ? RETURNING last", newest)
                        .one(SqlConnection::number)
                - newest;
    }

    private @Nullable Object changed(String table, String column, @Nullable Object value) {
        if (column.equals("node")) return node;
        if (value == null) return null;
        return switch (column) {
            case "id" -> NUMBERED.contains(table) ? number(table, value) : value;
            case "owner" -> owner(value.toString());
            case "pause", "offer", "notice" -> number(column, value);
            case "seq" -> shift + ((Number) value).longValue();
            case "key" -> key(value.toString());
            case "call_key" -> table.equals("run") && takenCalls.contains(value.toString()) ? null : value;
            default -> value;
        };
    }

    /** Null if the referenced row was deleted: a digest may outlive its notices. */
    private @Nullable Long number(String table, Object value) {
        return numbers.getOrDefault(table, Map.of()).get(((Number) value).longValue());
    }

    /** The key of a sent message contains the number of the message. */
    private String key(String key) {
        if (!key.matches(OF_MESSAGE + "\\d{1,18}")) return key;
        var number = number("message", Long.valueOf(key.substring(OF_MESSAGE.length())));
        return number == null ? key : OF_MESSAGE + number;
    }

    /** User names are unique only on one machine. */
    private String owner(String id) {
        return new Owner(id).movedTo(node).id();
    }

    /** If both ledgers know a session, its latest state wins. */
    private void owner(ResultSet row) throws SQLException {
        to.execute(
                """
                INSERT INTO owner (id, harness, home, state, turn, fresh, wakes, prompted_at, interrupted_at, seen_at,
                                   pid, pid_start, boot_id, node)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET harness = excluded.harness, home = excluded.home,
                       state = excluded.state, turn = greatest(owner.turn, excluded.turn), fresh = excluded.fresh,
                       wakes = excluded.wakes, prompted_at = excluded.prompted_at,
                       interrupted_at = excluded.interrupted_at, seen_at = excluded.seen_at, pid = excluded.pid,
                       pid_start = excluded.pid_start, boot_id = excluded.boot_id, node = excluded.node
                 WHERE owner.seen_at < excluded.seen_at
                """,
                owner(row.getString("id")),
                row.getString("harness"),
                row.getString("home"),
                row.getString("state"),
                row.getInt("turn"),
                row.getInt("fresh"),
                row.getInt("wakes"),
                whole(row, "prompted_at"),
                whole(row, "interrupted_at"),
                row.getLong("seen_at"),
                whole(row, "pid"),
                whole(row, "pid_start"),
                row.getString("boot_id"),
                node);
    }

    private static @Nullable Long whole(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    private void spend(ResultSet row) throws SQLException {
        to.execute(
                """
                INSERT INTO spend (owner, day, node, tokens, cost_micros) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (owner, day, node) DO UPDATE SET tokens = spend.tokens + excluded.tokens,
                       cost_micros = spend.cost_micros + excluded.cost_micros
                """,
                owner(row.getString("owner")),
                row.getString("day"),
                node,
                row.getLong("tokens"),
                row.getLong("cost_micros"));
    }

    /** Refuses if rows are missing, before the old ledger is renamed. */
    private long counted(Table table) {
        var numbered = numbers.get(table.key.equals("id") ? table.name : table.key);
        var keys = numbered != null
                ? SqlArray.numbers(numbered.values())
                : SqlArray.texts(
                        from.texts(table.name.equals("token") ? "SELECT id FROM token" : "SELECT id FROM run"));
        long there = to.select("SELECT count(*) FROM %s WHERE %s = ANY (?)".formatted(table.name, table.key), keys)
                .one(SqlConnection::number);
        long here = from.count(table.name);
        if (there != here) {
            throw ErrorCode.MOVE_INCOMPLETE.error(
                    "Only %d of %d rows of %s were inserted.".formatted(there, here, table.name));
        }
        return there;
    }
}
