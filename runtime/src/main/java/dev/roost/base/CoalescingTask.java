package dev.roost.base;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/** Runs a task in one thread at a time; requests made during a run are merged into one further run. */
public final class CoalescingTask {

    private static final System.Logger LOG = System.getLogger(CoalescingTask.class.getName());

    private final ReentrantLock running = new ReentrantLock();
    private final AtomicBoolean requested = new AtomicBoolean();

    public CoalescingTask() {}

    /** Runs the task unless it is already running; then schedules exactly one more run and returns at once. */
    public void soon(Runnable work) {
        requested.set(true);
        if (!running.tryLock()) return; // the thread that holds the lock checks `requested` after its run
        run(work);
    }

    /** Runs the task in this thread, after a run that is in progress. */
    public void now(Runnable work) {
        running.lock();
        run(work);
    }

    private void run(Runnable work) {
        try {
            requested.set(false);
            work.run();
        } finally {
            running.unlock();
            if (requested.get()) Thread.ofVirtual().name("roost-once-more").start(() -> runAgain(work));
        }
    }

    private void runAgain(Runnable work) {
        try {
            soon(work);
        } catch (RuntimeException e) { // no caller waits for this run, and the next request runs the task again
            LOG.log(System.Logger.Level.DEBUG, "a coalesced task failed; its next request runs it again", e);
        }
    }
}
