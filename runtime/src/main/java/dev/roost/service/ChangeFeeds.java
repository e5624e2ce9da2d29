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

/** Who wants to know at once what becomes of runs. */
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

    /** Which runs change from now on: anybody's, so it is for surfaces that see to it who is told what. */
    public ChangedRuns news() {
        return context.changes().ofAll();
    }

    /** Whenever this run changes. */
    public ChangedRuns news(RunRecord run) {
        return context.changes().of(run.id()::equals);
    }

    /** What became of runs that the caller may see since {@code after}, an earlier answer's position; waits until there is something. */
    public ChangePage changes(Optional<String> after, Duration timeout, Caller caller) {
        return new ChangeQuery(context.ledger(), context.clock(), changes).since(after, timeout, caller);
    }

    /** The number of what happened last, to whichever run. */
    public long newestEvent() {
        return context.ledger().allEvents().newest();
    }

    /** Follows what happens after that number: to the runs of {@code owner}, or to all that the caller may see. */
    public EventSubscription follow(long after, Optional<Owner> owner, Caller caller) {
        return feed.follow(after, caller.scope(owner));
    }

    void close() {
        feed.close();
    }
}
