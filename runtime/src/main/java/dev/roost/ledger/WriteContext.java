package dev.roost.ledger;

import dev.roost.base.Clock;
import dev.roost.ledger.db.GroupCommitWriter;
import dev.roost.ledger.db.LedgerDatabase;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;

/** What every write needs: database, writer, clock, and the timeline of its run. */
public record WriteContext(LedgerDatabase database, GroupCommitWriter writer, Clock clock) {

    long now() {
        return clock.now().toEpochMilli();
    }

    String node() {
        return database.node();
    }

    /** Adds an event to the run's timeline; it becomes durable with the write. */
    void event(RunId run, int attempt, EventKind kind, String text) {
        writer.addEvent(new LedgerDatabase.PendingEvent(run.text(), attempt, now(), kind, text));
    }

    /** Adds an event about a notice to the timeline of the notice's run. */
    void event(NoticeRecord notice, EventKind kind, String text) {
        notice.ofRun().ifPresent(one -> event(one.run().id(), one.attempt().n(), kind, text));
    }
}
