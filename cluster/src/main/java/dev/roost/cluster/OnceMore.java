package dev.roost.cluster;

import java.util.concurrent.atomic.AtomicInteger;

/** Work that is the same whoever asks for it: who asks while it is being done has it done once more, and does not wait. */
final class OnceMore {

    private final AtomicInteger asked = new AtomicInteger();

    /** If it goes wrong, only who does it is told: the others asked for what somebody looks after again anyway. */
    void run(Runnable work) {
        if (asked.getAndIncrement() > 0) return;
        try {
            int before;
            do {
                before = asked.get();
                work.run();
            } while (!asked.compareAndSet(before, 0));
        } catch (Throwable e) {
            asked.set(0);
            throw e;
        }
    }
}
