package dev.roost;

import dev.roost.ledger.record.NoticeRecord;
import dev.roost.sessions.NoticeDigest;
import java.time.Instant;
import java.util.Optional;

/** A durable message to an owner: a run ended, a run needs input, or a pause affected its runs. */
public final class Notice {

    private final NoticeRecord row;

    Notice(NoticeRecord row) {
        this.row = row;
    }

    public long id() {
        return row.id();
    }

    /** {@code ended}, {@code needs_input}, {@code pause} … */
    public String kind() {
        return row.kind();
    }

    /** The id of the run that the notice is about. */
    public Optional<String> run() {
        return row.ofRun().map(one -> one.run().id().text());
    }

    public Instant createdAt() {
        return row.createdAt();
    }

    /** The text of the notice, in one line. */
    public String text() {
        return NoticeDigest.line(row);
    }

    @Override
    public String toString() {
        return text();
    }
}
