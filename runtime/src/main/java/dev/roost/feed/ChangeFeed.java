package dev.roost.feed;

import dev.roost.base.Clock;
import dev.roost.ledger.EventStore;
import dev.roost.ledger.Ledger;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells readers which runs changed: by a commit of this node or of another, or because their output grew. Every surface waits
 * here. It is in memory only: after a restart, clients read all runs again.
 */
public final class ChangeFeed implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(ChangeFeed.class.getName());
    private static final int MAX_RUNS = 4096;

    /** The changes after a position; {@code complete} is false if older changes were forgotten. */
    record ChangesSince(String position, List<RunId> runs, boolean complete) {}

    private final Ledger ledger;
    private final Clock clock;
    private final EventStore events;
    private final String instanceId = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    private final Map<Optional<RunId>, Set<ChangedRuns>> readers = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition newCommit = lock.newCondition();
    private final LinkedHashMap<RunId, Long> changed = new LinkedHashMap<>(); // the latest change of each, oldest first
    private long commits;
    private long last;
    private long forgotten;
    private boolean closed;

    private final ReentrantLock eventLock = new ReentrantLock(); // not the other: the ledger may be slow to answer
    private volatile long newestEvent;
    private long eventsReadAt = -1;

    public ChangeFeed(Ledger ledger, Clock clock) {
        this.ledger = ledger;
        this.clock = clock;
        this.events = ledger.allEvents();
        ledger.listeners().onCommit(this::committed);
    }

    private void committed(Set<RunId> runs) {
        lock.lock();
        try {
            commits++;
            if (!runs.isEmpty()) last++;
            for (var run : runs) changed.putLast(run, last);
            while (changed.size() > MAX_RUNS)
                forgotten = changed.pollFirstEntry().getValue();
            runs.forEach(
                    this::notifyReaders); // before the unlock: a reader of the new position has all changes before it
            newCommit.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public void outputGrew(RunId run) {
        notifyReaders(run);
    }

    private void notifyReaders(RunId run) {
        for (var reader : readers.getOrDefault(Optional.of(run), Set.of())) reader.add(run);
        for (var reader : readers.getOrDefault(Optional.<RunId>empty(), Set.of())) reader.add(run);
    }

    /** The runs of all owners that change from now on. The surface must check what each client may see. */
    public ChangedRuns ofAll() {
        return reader(Optional.empty());
    }

    /** The changes of this run from now on. Open it, then read the run, then wait: no change is missed. */
    public ChangedRuns of(RunId run) {
        return reader(Optional.of(run));
    }

    private ChangedRuns reader(Optional<RunId> run) {
        var reader = new ChangedRuns(closing -> readers.computeIfPresent(run, (_, others) -> {
            others.remove(closing);
            return others.isEmpty() ? null : others;
        }));
        readers.compute(run, (_, others) -> {
            var all = others == null ? ConcurrentHashMap.<ChangedRuns>newKeySet() : others;
            all.add(reader);
            return all;
        });
        return reader;
    }

    /** The changes of runs that the caller may see after {@code after}, the position of an earlier answer; waits for the first. */
    public ChangePage since(Optional<String> after, Duration timeout, Caller caller) {
        return new ChangeQuery(ledger, clock, this).since(after, timeout, caller);
    }

    ChangesSince now() {
        lock.lock();
        try {
            return new ChangesSince(position(), List.of(), false);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for at most {@code nanos} for a change after {@code position}. */
    ChangesSince await(String position, long nanos) throws InterruptedException {
        lock.lock();
        try {
            var after = number(position);
            if (after.isEmpty()) return new ChangesSince(position(), List.of(), false);
            for (long left = nanos; last <= after.get() && left > 0; ) left = newCommit.awaitNanos(left);
            return new ChangesSince(position(), changedAfter(after.get()), forgotten <= after.get());
        } finally {
            lock.unlock();
        }
    }

    private List<RunId> changedAfter(long after) {
        var runs = new ArrayList<RunId>();
        for (var entry : changed.reversed().entrySet()) {
            if (entry.getValue() <= after) break;
            runs.add(entry.getKey());
        }
        return runs;
    }

    private String position() {
        return instanceId + "-" + last;
    }

    /** The number in the position; empty for a position of an earlier process or an invalid one. */
    private Optional<Long> number(String position) {
        if (!position.startsWith(instanceId + "-")) return Optional.empty();
        try {
            long number = Long.parseLong(position.substring(instanceId.length() + 1));
            return number < 0 || number > last ? Optional.empty() : Optional.of(number);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The number of the newest event of any run. */
    public long newestEvent() {
        return events.newest();
    }

    /** Follows the events after that number: of the runs of {@code owner}, or of all runs that the caller may see. */
    public EventReader follow(long after, Optional<Owner> owner, Caller caller) {
        return new EventReader(this, events, after, caller.scope(owner));
    }

    /** Waits for an event after number {@code beyond}; false if there was none in time. */
    boolean awaitEvent(long beyond, Duration timeout) throws InterruptedException {
        long until = clock.monotonicNanos() + timeout.toNanos();
        while (true) {
            long seen = commitCount();
            if (newestEventAt(seen) > beyond) return true;
            lock.lockInterruptibly();
            try {
                for (long left = until - clock.monotonicNanos(); commits == seen; left = newCommit.awaitNanos(left))
                    if (left <= 0 || closed) return false;
            } finally {
                lock.unlock();
            }
        }
    }

    private long commitCount() {
        lock.lock();
        try {
            return commits;
        } finally {
            lock.unlock();
        }
    }

    /** Asks the ledger once after a commit, whatever the number of readers. */
    private long newestEventAt(long commit) {
        eventLock.lock();
        try {
            if (eventsReadAt < commit) {
                newestEvent = events.newest();
                eventsReadAt = commit;
            }
        } catch (RuntimeException e) { // an unreachable database comes back: the next commit asks again
            LOG.log(System.Logger.Level.DEBUG, "the newest event could not be read", e);
        } finally {
            eventLock.unlock();
        }
        return newestEvent;
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            newCommit.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
