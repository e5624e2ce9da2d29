package dev.roost.ledger;

import dev.roost.base.Clock;
import dev.roost.ledger.db.GroupCommitWriter;
import dev.roost.ledger.db.LedgerDatabase;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;

/** What every write has at hand: who commits it, where to, when it is, and the run's story. */
public record WriteContext(LedgerDatabase database, GroupCommitWriter writer, Clock clock) {

    long now() {
        return clock.now().toEpochMilli();
    }

    String node() {
        return database.node();
    }

    /** It is in the run's story if and when the write is durable. */
    void event(RunId run, int attempt, EventKind kind, String text) {
        writer.addEvent(new LedgerDatabase.PendingEvent(run.text(), attempt, now(), kind, text));
    }

    /** What becomes of a notice is part of its run's story. */
    void event(NoticeRecord notice, EventKind kind, String text) {
        notice.ofRun().ifPresent(one -> event(one.run().id(), one.attempt().n(), kind, text));
    }
}
