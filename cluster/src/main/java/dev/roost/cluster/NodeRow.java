package dev.roost.cluster;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A node as stored in the ledger. {@code live}: its lease has not expired, and it is {@code settled} or its last
 * heartbeat is not older than its grace, which excludes a node that crashes repeatedly during its start.
 */
public record NodeRow(
        String name,
        long epoch,
        String version,
        Set<String> labels,
        int maxLive,
        State state,
        boolean settled,
        boolean live,
        Instant heardAt,
        int running) {

    /** A draining node is given no more runs; a node that has left is not reported as missing. */
    public enum State {
        MEMBER,
        DRAINING,
        LEFT
    }

    /** Whether the node is there, and may be given runs. */
    boolean isAvailable() {
        return live && state == State.MEMBER;
    }

    static final String SELECT = """
            SELECT n.name, n.epoch, n.version, n.labels, n.max_live, n.settled, n.state, n.heard_at,
                   n.lease_until > clock_timestamp() AND n.state <> 'left'
                       AND (n.settled OR n.heard_at > clock_timestamp() - n.grace) AS live,
                   (SELECT count(*) FROM attempt a WHERE a.status = 'running' AND a.node = n.name) AS running
              FROM node n
            """;

    static NodeRow of(ResultSet row) throws SQLException {
        return new NodeRow(
                row.getString("name"),
                row.getLong("epoch"),
                row.getString("version"),
                Set.copyOf(texts(row, "labels")),
                row.getInt("max_live"),
                State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                row.getBoolean("settled"),
                row.getBoolean("live"),
                row.getObject("heard_at", OffsetDateTime.class).toInstant(),
                row.getInt("running"));
    }

    static List<String> texts(ResultSet row, String column) throws SQLException {
        return Arrays.asList((String[]) row.getArray(column).getArray());
    }

    /** The number of its free slots. */
    int free() {
        return isAvailable() && settled ? Math.max(0, maxLive - running) : 0;
    }

    Optional<String> missing(Set<String> needs) {
        return needs.stream().filter(need -> !labels.contains(need)).findFirst();
    }
}
