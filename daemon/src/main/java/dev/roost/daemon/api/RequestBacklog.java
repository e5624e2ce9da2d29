package dev.roost.daemon.api;

import java.util.concurrent.Semaphore;

/**
 * How much one client may have asked for that is not answered yet. Who asks on and on and takes no answers is listened to no
 * further, instead of filling the memory with answers that nobody takes.
 */
public final class RequestBacklog {

    private static final int MOST = 16 << 20;
    private static final int LEAST_WEIGHT = 1 << 16;

    private final Semaphore room = new Semaphore(MOST);

    /** Waits until there is room for one more; what it returns is to be given back when that one is answered. */
    public int enter(String request) throws InterruptedException {
        int weight = Math.clamp(request.length(), LEAST_WEIGHT, MOST);
        room.acquire(weight);
        return weight;
    }

    public void leave(int weight) {
        room.release(weight);
    }
}
