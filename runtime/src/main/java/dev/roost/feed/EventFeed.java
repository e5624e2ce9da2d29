package dev.roost.feed;

import dev.roost.ledger.EventStore;
import dev.roost.model.Owner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes those who follow what happens. However many they are, the ledger is asked once after a commit whether there is
 * something new: each of them then reads on at its own pace, and nothing is kept for the slow.
 */
public final class EventFeed implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(EventFeed.class.getName());

    private final EventStore events;
    private final Semaphore commits = new Semaphore(0);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Thread watch;
    private long newest;
    private int followers;
    private boolean closed;

    public EventFeed(EventStore events) {
        this.events = events;
        this.watch = Thread.ofVirtual().name("roost-following").start(this::watch);
    }

    /** Something was committed, here or elsewhere. */
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
            LOG.log(System.Logger.Level.DEBUG, "nobody follows any more", e);
        }
    }

    private void readEvents() {
        try {
            long now = events.newest();
            lock.lock();
            try {
                if (now > newest) news.signalAll();
                newest = Math.max(newest, now);
            } finally {
                lock.unlock();
            }
        } catch (RuntimeException e) { // a database that is away comes back, and so must the next look
            LOG.log(System.Logger.Level.DEBUG, "what happened could not be looked at", e);
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

    /** One who follows from {@code after} on. */
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
        private boolean left;

        QueueSubscription(long after, Optional<Owner> owner) {
            this.seen = after;
            this.owner = owner;
        }

        @Override
        public EventStore.EventPage next(int most, Duration timeout) throws InterruptedException {
            var page = events.after(seen, owner, most);
            if (page.events().isEmpty() && await(page.upTo(), timeout)) page = events.after(page.upTo(), owner, most);
            seen = page.upTo();
            return page;
        }

        private boolean await(long beyond, Duration timeout) throws InterruptedException {
            long left = timeout.toNanos();
            lock.lockInterruptibly();
            try {
                while (newest <= beyond && left > 0 && !closed) left = news.awaitNanos(left);
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
                if (!left) followers--;
                left = true;
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
            news.signalAll();
        } finally {
            lock.unlock();
        }
        watch.interrupt();
    }
}
