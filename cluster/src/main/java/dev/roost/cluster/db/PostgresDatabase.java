package dev.roost.cluster.db;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.DatabaseFailure;
import dev.roost.ledger.db.LedgerDatabase;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** The ledger's database in PostgreSQL, shared by the nodes. */
public final class PostgresDatabase implements LedgerDatabase {

    /** If a node stops in the middle of a transaction, its locks are released after this time. */
    public static final int MOST_IDLE_MILLIS = 5_000;

    private static final Set<String> CONNECTION_LOST =
            Set.of("57P01", "57P02", "57P03", "57P05", "25P03", "25006", "53300");
    private static final Set<String> RETRYABLE = Set.of("40001", "40P01", "55P03");

    private final String node;
    private final PendingOrders pendingOrders;
    private final ConnectionSource database;

    PostgresDatabase(String node, DataSource source) {
        this.node = node;
        this.database = new ConnectionSource(source);
        this.pendingOrders = new PendingOrders();
    }

    public PendingOrders given() {
        return pendingOrders;
    }

    @Override
    public void attemptQueued(SqlConnection handle, RunId run, int attempt) {
        pendingOrders.write(handle, run, attempt);
    }

    /** Opens a ledger for {@code node}; {@code address} begins with postgresql://. */
    public static Ledger open(String address, String node, Clock clock) {
        return new Ledger(store(DatabaseAddress.parse(address), node), clock);
    }

    /** Checks the connection and migrates the tables first. */
    public static PostgresDatabase store(DatabaseAddress address, String node) {
        var source = address.source("roost " + node, MOST_IDLE_MILLIS);
        ConnectionCheck.attempt(address, source);
        PostgresSchema.bringUpToDate(address.withoutTimeout("roost %s migrates".formatted(node)));
        var store = new PostgresDatabase(node, source);
        try (var handle = store.writing()) {
            refuseUnsafeDurability(handle);
            refuseOtherSettings(handle);
        }
        return store;
    }

    /** Refuses server settings under which a committed write may be lost. */
    private static void refuseUnsafeDurability(SqlConnection handle) {
        for (var setting : List.of("synchronous_commit", "fsync", "full_page_writes")) {
            String value = setting(handle, setting);
            if (value.equals("off") || value.equals("local")) {
                throw ErrorCode.LEDGER_FORGETS.error(
                        "The database has %s = %s: acknowledged writes may be lost.".formatted(setting, value),
                        "Set %s = on for this database.".formatted(setting));
            }
        }
    }

    /** Refuses if a connection pool has silently dropped the settings that each connection asks for. */
    static void refuseOtherSettings(SqlConnection handle) {
        for (var needed : List.of(
                Map.entry("default_transaction_isolation", "read committed"),
                Map.entry("idle_in_transaction_session_timeout", "5s"))) {
            String value = setting(handle, needed.getKey());
            if (value.equals(needed.getValue())) continue;
            throw ErrorCode.LEDGER_SET_OTHERWISE.error(
                    "The database has %s = %s, though this node asked for %s."
                            .formatted(needed.getKey(), value, needed.getValue()),
                    "Configure the pool to pass on the parameter options, or set it for the node's role: ALTER ROLE … SET %s = '%s'."
                            .formatted(needed.getKey(), needed.getValue()));
        }
    }

    private static String setting(SqlConnection handle, String name) {
        return handle.select("SELECT current_setting(?)", name).one(SqlConnection::text);
    }

    @Override
    public String node() {
        return node;
    }

    @Override
    public SqlConnection writing() {
        return database.open();
    }

    @Override
    public SqlConnection reading() {
        var handle = database.open();
        try {
            handle.connection().setReadOnly(true);
        } catch (SQLException e) {
            handle.close();
            throw new DatabaseFailure(e);
        }
        return handle;
    }

    /** Takes the locks in ascending order, so that two nodes cannot deadlock. */
    @Override
    public void lock(SqlConnection handle, Collection<String> keys, long mark) {
        var numbers = keys.stream().map(PostgresDatabase::number).sorted().toList();
        handle.select("""
                        WITH marked AS (INSERT INTO writer (node, mark) VALUES (?, ?)
                                            ON CONFLICT (node) DO UPDATE SET mark = excluded.mark)
                        SELECT count(pg_advisory_xact_lock(key)) FROM unnest(?) AS key
                        """, node, mark, SqlArray.numbers(numbers)).one(SqlConnection::number);
    }

    @Override
    public Set<String> lockAtOnce(SqlConnection handle, Collection<String> keys) {
        var requested = List.copyOf(keys);
        return handle
                .select(
                        """
                        SELECT place FROM unnest(?) WITH ORDINALITY AS wanted (number, place)
                         WHERE pg_try_advisory_xact_lock(number)
                        """,
                        SqlArray.numbers(
                                requested.stream().map(PostgresDatabase::number).toList()))
                .list(row -> requested.get(SqlConnection.count(row) - 1))
                .stream()
                .collect(Collectors.toSet());
    }

    /** A collision of two keys only causes needless waiting. */
    private static long number(String key) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void numberEvents(SqlConnection handle, List<PendingEvent> events) {
        long last = handle.select("UPDATE happened SET last = last + ? RETURNING last", events.size())
                .one(SqlConnection::number);
        handle.execute(
                """
                        INSERT INTO event (seq, run_id, attempt, at, kind, text, node)
                        SELECT ? + place, run_id, attempt, at, kind, text, ?
                          FROM unnest(?, ?, ?, ?, ?)
                          WITH ORDINALITY AS happened (run_id, attempt, at, kind, text, place)
                        """,
                last - events.size(),
                node,
                SqlArray.texts(events.stream().map(PendingEvent::run).toList()),
                SqlArray.counts(events.stream().map(PendingEvent::attempt).toList()),
                SqlArray.numbers(events.stream().map(PendingEvent::at).toList()),
                SqlArray.texts(events.stream().map(event -> event.kind().word()).toList()),
                SqlArray.texts(events.stream().map(PendingEvent::text).toList()));
    }

    @Override
    public long newestEvent(SqlConnection handle) {
        return handle.select("SELECT last FROM happened").one(SqlConnection::number);
    }

    @Override
    public String indexHint(String index) {
        return "";
    }

    @Override
    public String orderedJoin() {
        return " JOIN ";
    }

    @Override
    public String ownedCondition(String column) {
        return """
                (%s = ? OR NOT EXISTS (SELECT 1 FROM node WHERE node.name = %s AND node.lease_until > clock_timestamp()))
                """.formatted(column, column);
    }

    @Override
    public Instant time(SqlConnection handle, Clock own) {
        return handle.select("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
                .one(row -> Instant.ofEpochMilli(SqlConnection.number(row)));
    }

    @Override
    public int writeProbe(SqlConnection handle) {
        return handle.execute("UPDATE happened SET last = last");
    }

    @Override
    public CommitFailure explain(Throwable e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof IOException) return new CommitFailure.ConnectionLost();
            if (!(at instanceof SQLException failure) || failure.getSQLState() == null) continue;
            String state = failure.getSQLState();
            if (state.startsWith("08") || CONNECTION_LOST.contains(state)) return new CommitFailure.ConnectionLost();
            if (RETRYABLE.contains(state)) return new CommitFailure.Retryable();
            if (state.equals("53100")) {
                return new CommitFailure.Permanent(ErrorCode.DISK_FULL.error(
                        "The disk that holds the database is full, so nothing could be written."));
            }
        }
        return new CommitFailure.Permanent(e);
    }

    @Override
    public boolean isConnectionLost(RuntimeException e) {
        return explain(e) instanceof CommitFailure.ConnectionLost;
    }

    /** Waits for the outcome if the connection is dead and its transaction is still open. */
    @Override
    public boolean isCommitted(SqlConnection handle, long mark) {
        return handle.select("SELECT mark FROM writer WHERE node = ? FOR UPDATE", node)
                .optional(SqlConnection::number)
                .equals(Optional.of(mark));
    }

    @Override
    public void backUp(Path copy) {
        throw ErrorCode.BACKUP_BY_DATABASE.error("This ledger is in PostgreSQL, and is backed up with it.");
    }

    @Override
    public Optional<String> damage() {
        try (var handle = reading()) {
            handle.select("SELECT last FROM happened").one(SqlConnection::number);
            return Optional.empty();
        } catch (RuntimeException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public long bytes() {
        try (var handle = reading()) {
            return handle.select("SELECT pg_database_size(current_database())").one(SqlConnection::number);
        }
    }
}
