package dev.roost.service;

import dev.roost.engine.RuntimeContext;
import dev.roost.feed.ChangePage;
import dev.roost.feed.ChangeQuery;
import dev.roost.feed.ChangedRuns;
import dev.roost.feed.EventFeed;
import dev.roost.feed.EventSubscription;
import dev.roost.feed.RecentChanges;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import java.time.Duration;
import java.util.Optional;

/** Notifies surfaces of changes of runs as they happen. */
public final class ChangeFeeds {

    private final RuntimeContext context;
    private final EventFeed feed;
    private final RecentChanges changes = new RecentChanges();

    ChangeFeeds(RuntimeContext context) {
        this.context = context;
        this.feed = new EventFeed(context.ledger().allEvents());
        context.ledger().listeners().onCommit(_ -> feed.eventsCommitted());
        context.ledger().listeners().onCommit(changes::changed);
    }

    /** The runs of all owners that change from now on. The surface must check what each client may see. */
    public ChangedRuns news() {
        return context.changes().ofAll();
    }

    /** The changes of this run from now on. */
    public ChangedRuns news(RunRecord run) {
        return context.changes().of(run.id()::equals);
    }

    /** The changes of runs that the caller may see after {@code after}, the position of an earlier answer; waits for the first. */
    public ChangePage changes(Optional<String> after, Duration timeout, Caller caller) {
        return new ChangeQuery(context.ledger(), context.clock(), changes).since(after, timeout, caller);
    }

    /** The number of the newest event of any run. */
    public long newestEvent() {
        return context.ledger().allEvents().newest();
    }

    /** Follows the events after that number: of the runs of {@code owner}, or of all runs that the caller may see. */
    public EventSubscription follow(long after, Optional<Owner> owner, Caller caller) {
        return feed.follow(after, caller.scope(owner));
    }

    void close() {
        feed.close();
    }
}
