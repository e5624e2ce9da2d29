package dev.roost.house;

import dev.roost.ledger.Happenings;
import dev.roost.run.Owner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes those who follow what happens. However many they are, the ledger is asked once after a commit whether there is
 * something new: each of them then reads on at its own pace, and nothing is kept for the slow.
 */
final class Following implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Following.class.getName());

    private final Happenings happenings;
    private final Semaphore commits = new Semaphore(0);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Thread watch;
    private long newest;
    private int followers;
    private boolean closed;

    Following(Happenings happenings) {
        this.happenings = happenings;
        this.watch = Thread.ofVirtual().name("roost-following").start(this::watch);
    }

    /** Something was committed, here or elsewhere. */
    void committed() {
        commits.release();
    }

    private void watch() {
        try {
            while (true) {
                commits.acquire();
                commits.drainPermits();
                if (isFollowed()) look();
            }
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "nobody follows any more", e);
        }
    }

    private void look() {
        try {
            long now = happenings.newest();
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
    Follower follow(long after, Optional<Owner> owner) {
        lock.lock();
        try {
            followers++;
        } finally {
            lock.unlock();
        }
        return new Following.One(after, owner);
    }

    private final class One implements Follower {
        private final Optional<Owner> owner;
        private long seen;
        private boolean left;

        One(long after, Optional<Owner> owner) {
            this.seen = after;
            this.owner = owner;
        }

        @Override
        public Happenings.Page next(int most, Duration timeout) throws InterruptedException {
            var page = happenings.after(seen, owner, most);
            if (page.events().isEmpty() && await(page.upTo(), timeout))
                page = happenings.after(page.upTo(), owner, most);
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
