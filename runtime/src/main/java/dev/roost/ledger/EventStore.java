package dev.roost.ledger;

import dev.roost.ledger.record.FeedEvent;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.util.List;
import java.util.Optional;

/**
 * The events of all runs in commit order: a later event has a greater number, so a reader at number n has seen every event
 * up to n. Events of a removed run are gone. The database makes the numbers grow from commit to commit.
 */
public record EventStore(LedgerContext context) {
    /** A page of events; there are no other matching events up to number {@code upTo}. */
    public record EventPage(List<FeedEvent> events, long upTo) {}

    /** At most {@code limit} events after {@code seq}, of runs of {@code owner}, or of all runs. */
    public EventPage after(long seq, Optional<Owner> owner, int limit) {
        return context.read(handle -> {
            long newest = context.database()
                    .newestEvent(handle); // first: events committed between the two reads belong to the next page
            var events = handle.select("""
                            SELECT e.seq, e.run_id, r.owner, e.attempt, e.at, e.kind, e.text
                              FROM event e %s run r ON r.id = e.run_id
                             WHERE e.seq > ? AND e.seq <= ? AND r.owner = coalesce(?, r.owner) ORDER BY e.seq LIMIT ?
                            """.formatted(context.database().orderedJoin()), seq, newest, owner, limit)
                    .list(row -> new FeedEvent(
                            new RunId(row.getString("run_id")),
                            new Owner(row.getString("owner")),
                            RowMappers.event(row)));
            boolean all = events.size() < limit;
            return new EventPage(
                    events, all ? Math.max(seq, newest) : events.getLast().seq());
        });
    }

    /** The greatest number ever assigned; 0 if there is none. */
    public long newest() {
        return context.read(context.database()::newestEvent);
    }
}
