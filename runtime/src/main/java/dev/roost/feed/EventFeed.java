package dev.roost.feed;

import dev.roost.ledger.EventStore;
import dev.roost.model.Owner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes subscribers after a commit that added events. The feed queries the ledger once after a commit, whatever the number of
 * subscribers. Each subscriber then reads at its own pace, and the feed buffers no events.
 */
public final class EventFeed implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(EventFeed.class.getName());

    private final EventStore events;
    private final Semaphore commits = new Semaphore(0);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition newEvents = lock.newCondition();
    private final Thread watch;
    private long newest;
    private int followers;
    private boolean closed;

    public EventFeed(EventStore events) {
        this.events = events;
        this.watch = Thread.ofVirtual().name("roost-following").start(this::watch);
    }

    /** Called after a commit of this node or of another. */
    public void eventsCommitted() {
        commits.release();
    }

    private void watch() {
        try {
            while (true) {
                commits.acquire();
                commits.drainPermits();
                if (isFollowed()) readEvents();
            }
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "the event feed is closed", e);
        }
    }

    private void readEvents() {
        try {
            long now = events.newest();
            lock.lock();
            try {
                if (now > newest) newEvents.signalAll();
                newest = Math.max(newest, now);
            } finally {
                lock.unlock();
            }
        } catch (RuntimeException e) { // an unreachable database comes back: the loop must continue
            LOG.log(System.Logger.Level.DEBUG, "the newest event could not be read", e);
        }
    }

    private boolean isFollowed() {
        lock.lock();
        try {
            return followers > 0;
        } finally {
            lock.unlock();
        }
    }

    /** A subscription to events after number {@code after}. */
    public EventSubscription follow(long after, Optional<Owner> owner) {
        lock.lock();
        try {
            followers++;
        } finally {
            lock.unlock();
        }
        return new EventFeed.QueueSubscription(after, owner);
    }

    private final class QueueSubscription implements EventSubscription {
        private final Optional<Owner> owner;
        private long seen;
        private boolean unsubscribed;

        QueueSubscription(long after, Optional<Owner> owner) {
            this.seen = after;
            this.owner = owner;
        }

        @Override
        public EventStore.EventPage next(int limit, Duration timeout) throws InterruptedException {
            var page = events.after(seen, owner, limit);
            if (page.events().isEmpty() && await(page.upTo(), timeout)) page = events.after(page.upTo(), owner, limit);
            seen = page.upTo();
            return page;
        }

        private boolean await(long beyond, Duration timeout) throws InterruptedException {
            long left = timeout.toNanos();
            lock.lockInterruptibly();
            try {
                while (newest <= beyond && left > 0 && !closed) left = newEvents.awaitNanos(left);
                return newest > beyond && !closed;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean isOver() {
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
                if (!unsubscribed) followers--;
                unsubscribed = true;
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            newEvents.signalAll();
        } finally {
            lock.unlock();
        }
        watch.interrupt();
    }
}
