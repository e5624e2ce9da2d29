package dev.roost.ledger;

import dev.roost.base.Clock;
import dev.roost.ledger.db.GroupCommitWriter;
import dev.roost.ledger.db.LedgerDatabase;
import dev.roost.ledger.db.ReadConnections;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Function;

/** What every store needs: database, writer, readers, clock, and the timelines of runs. */
public record LedgerContext(LedgerDatabase database, GroupCommitWriter writer, ReadConnections reader, Clock clock) {

    /** The current time, as exact as the ledger stores it. */
    Instant now() {
        return clock.now().truncatedTo(ChronoUnit.MILLIS);
    }

    String node() {
        return database.node();
    }

    <T> T read(Function<SqlConnection, T> work) {
        return reader.with(work);
    }

    <T> T write(Function<SqlConnection, T> work) {
        return writer.write(work);
    }

    <T> T write(RunId about, Function<SqlConnection, T> work) {
        return writer.write(about, work);
    }

    /** Adds an event to the run's timeline; it becomes durable with the write. */
    void event(RunId run, int attempt, EventKind kind, String text) {
        writer.addEvent(new LedgerDatabase.PendingEvent(run.text(), attempt, now().toEpochMilli(), kind, text));
    }

    /** Adds an event about a notice to the timeline of the notice's run. */
    void event(NoticeRecord notice, EventKind kind, String text) {
        notice.ofRun().ifPresent(one -> event(one.run().id(), one.attempt().n(), kind, text));
    }
}
