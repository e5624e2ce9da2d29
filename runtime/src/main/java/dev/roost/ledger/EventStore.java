package dev.roost.ledger;

import dev.roost.ledger.db.LedgerDatabase;
import dev.roost.ledger.db.ReadConnections;
import dev.roost.ledger.record.FeedEvent;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What happens to all runs, in the order in which it was committed: a later event has a greater number, and who has seen one
 * has missed none before it. What was removed with its run is not there any more. The store sees to it that the numbers go up
 * from commit to commit.
 */
public final class EventStore {
    /** Some of what happened, and up to which number nothing else did. */
    public record EventPage(List<FeedEvent> events, long upTo) {}

    private final LedgerDatabase database;
    private final ReadConnections reader;

    EventStore(LedgerDatabase database, ReadConnections reader) {
        this.database = database;
        this.reader = reader;
    }

    /** What happened after {@code seq} to runs of {@code owner}, or of anybody; {@code most} at a time. */
    public EventPage after(long seq, Optional<Owner> owner, int most) {
        return reader.with(handle -> {
            long newest =
                    database.newestEvent(handle); // first: what is committed between the two reads is for the next page
            var events = handle.select(
                            """
                            SELECT e.seq, e.run_id, r.owner, e.attempt, e.at, e.kind, e.text
                              FROM event e %s run r ON r.id = e.run_id
                             WHERE e.seq > ? AND e.seq <= ? AND r.owner = coalesce(?, r.owner) ORDER BY e.seq LIMIT ?
                            """.formatted(database.orderedJoin()),
                            seq,
                            newest,
                            owner.map(Owner::id).orElse(null),
                            most)
                    .list(row -> happening(row));
            boolean all = events.size() < most;
            return new EventPage(
                    events, all ? Math.max(seq, newest) : events.getLast().seq());
        });
    }

    private static FeedEvent happening(ResultSet row) throws SQLException {
        var event = new TimelineEvent(
                row.getLong("seq"),
                row.getInt("attempt"),
                Instant.ofEpochMilli(row.getLong("at")),
                row.getString("kind"),
                row.getString("text"));
        return new FeedEvent(new RunId(row.getString("run_id")), new Owner(row.getString("owner")), event);
    }

    /** The greatest number that was ever given; 0 if there was none. */
    public long newest() {
        return reader.with(database::newestEvent);
    }
}
