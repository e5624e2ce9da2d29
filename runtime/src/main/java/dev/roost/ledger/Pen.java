package dev.roost.ledger;

import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.RunId;

/** What every write has at hand: who commits it, where to, when it is, and the run's story. */
record Pen(Store store, Writer writer, Clock clock) {

    long now() {
        return clock.now().toEpochMilli();
    }

    String node() {
        return store.node();
    }

    /** It is in the run's story if and when the write is durable. */
    void event(RunId run, int attempt, EventKind kind, String text) {
        writer.happened(new Store.Happened(run.text(), attempt, now(), kind, text));
    }

    /** What becomes of a notice is part of its run's story. */
    void event(Notice notice, EventKind kind, String text) {
        notice.ofRun().ifPresent(one -> event(one.run().id(), one.attempt().n(), kind, text));
    }
}
