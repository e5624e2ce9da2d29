package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.RunId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Events as rows. There is one writer, and SQLite gives no number twice: so numbers go up from commit to commit. */
record SqliteHappenings(Reader reader) implements Happenings {

    @Override
    public Page after(long seq, Optional<Owner> owner, int most) {
        return reader.with(handle -> {
            long newest = newest(handle); // first: what is committed between the two reads is for the next page
            var events = handle.select("""
                            SELECT e.seq, e.run_id, r.owner, e.attempt, e.at, e.kind, e.text
                              FROM event e CROSS JOIN run r ON r.id = e.run_id
                             WHERE e.seq > ? AND e.seq <= ? AND r.owner = coalesce(?, r.owner) ORDER BY e.seq LIMIT ?
                            """, seq, newest, owner.map(Owner::id).orElse(null), most)
                    .map((row, _) -> happening(row))
                    .list();
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

    @Override
    public long newest() {
        return reader.with(SqliteHappenings::newest);
    }

    /** Of those that are gone, too. */
    private static long newest(Handle handle) {
        return handle.select("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
                .mapTo(Long.class)
                .findOne()
                .orElse(0L);
    }
}
