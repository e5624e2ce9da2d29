package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.RunId;
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
public final class Happenings {
    /** Some of what happened, and up to which number nothing else did. */
    public record Page(List<Happening> events, long upTo) {}

    private final Store store;
    private final Reader reader;

    Happenings(Store store, Reader reader) {
        this.store = store;
        this.reader = reader;
    }

    /** What happened after {@code seq} to runs of {@code owner}, or of anybody; {@code most} at a time. */
    public Page after(long seq, Optional<Owner> owner, int most) {
        return reader.with(handle -> {
            long newest =
                    store.newestEvent(handle); // first: what is committed between the two reads is for the next page
            var events = handle.select(
                            """
                            SELECT e.seq, e.run_id, r.owner, e.attempt, e.at, e.kind, e.text
                              FROM event e %s run r ON r.id = e.run_id
                             WHERE e.seq > ? AND e.seq <= ? AND r.owner = coalesce(?, r.owner) ORDER BY e.seq LIMIT ?
                            """.formatted(store.thenJoin()),
                            seq,
                            newest,
                            owner.map(Owner::id).orElse(null),
                            most)
                    .list(row -> happening(row));
            boolean all = events.size() < most;
            return new Page(
                    events, all ? Math.max(seq, newest) : events.getLast().seq());
        });
    }

    private static Happening happening(ResultSet row) throws SQLException {
        var event = new Event(
                row.getLong("seq"),
                row.getInt("attempt"),
                Instant.ofEpochMilli(row.getLong("at")),
                row.getString("kind"),
                row.getString("text"));
        return new Happening(new RunId(row.getString("run_id")), new Owner(row.getString("owner")), event);
    }

    /** The greatest number that was ever given; 0 if there was none. */
    public long newest() {
        return reader.with(store::newestEvent);
    }
}
