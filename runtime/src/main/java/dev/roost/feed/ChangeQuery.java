package dev.roost.feed;

import dev.roost.base.Clock;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;

/** Queries the {@link ChangeFeed} for the changes that a caller may see. */
final class ChangeQuery {

    private static final int MAX_RUNS = 500;

    private final Ledger ledger;
    private final Clock clock;
    private final ChangeFeed changes;

    ChangeQuery(Ledger ledger, Clock clock, ChangeFeed changes) {
        this.ledger = ledger;
        this.clock = clock;
        this.changes = changes;
    }

    ChangePage since(Optional<String> after, Duration timeout, Caller caller) {
        if (after.isEmpty()) return readAll(changes.now());
        long began = clock.monotonicNanos();
        String position = after.get();
        try {
            while (true) {
                long left = timeout.toNanos() - (clock.monotonicNanos() - began);
                var since = changes.await(position, left);
                if (!since.complete() || since.runs().size() > MAX_RUNS) return readAll(since);
                var page = readChanges(since, caller);
                if (page.hasChanges() || left <= 0) return page;
                position = since.position(); // only runs of other owners changed
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for changes", e);
        }
    }

    private static ChangePage readAll(ChangeFeed.ChangesSince since) {
        return new ChangePage(since.position(), new ArrayList<>(), new ArrayList<>(), true);
    }

    /** Only the operator gets ids of removed runs. An owner, who may have owned such a run, reads all its runs again. */
    private ChangePage readChanges(ChangeFeed.ChangesSince since, Caller caller) {
        var runs = new ArrayList<RunRecord>();
        var removed = new ArrayList<String>();
        for (var id : since.runs()) {
            var run = ledger.runs().find(id);
            if (run.isPresent() && caller.mayActFor(Optional.of(run.get().owner()))) runs.add(run.get());
            else if (run.isEmpty() && caller.operator()) removed.add(id.text());
            else if (run.isEmpty()) return readAll(since);
        }
        return new ChangePage(since.position(), runs, removed, false);
    }
}
