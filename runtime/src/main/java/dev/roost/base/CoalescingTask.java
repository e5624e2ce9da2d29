package dev.roost.base;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/** Work that is the same whoever asks for it: it is done by one at a time, and once more for all who asked meanwhile. */
public final class CoalescingTask {

    private static final System.Logger LOG = System.getLogger(CoalescingTask.class.getName());

    private final ReentrantLock turn = new ReentrantLock();
    private final AtomicBoolean asked = new AtomicBoolean();

    public CoalescingTask() {}

    /** Who asks while it is being done does not wait; nobody does it more than once for others. */
    public void soon(Runnable work) {
        asked.set(true);
        if (!turn.tryLock()) return; // whoever has it looks, when he is done, whether somebody asked
        doIt(work);
    }

    /** Returns when it was done by somebody who began after this was called. */
    public void now(Runnable work) {
        turn.lock();
        doIt(work);
    }

    private void doIt(Runnable work) {
        try {
            asked.set(false);
            work.run();
        } finally {
            turn.unlock();
            if (asked.get()) Thread.ofVirtual().name("roost-once-more").start(() -> again(work));
        }
    }

    private void again(Runnable work) {
        try {
            soon(work);
        } catch (RuntimeException e) { // nobody waits for it, and somebody asks again before long
            LOG.log(System.Logger.Level.DEBUG, "done once more in vain", e);
        }
    }
}
