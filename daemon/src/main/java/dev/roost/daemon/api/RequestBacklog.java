package dev.roost.daemon.api;

import java.util.concurrent.Semaphore;

/**
 * Limits the unanswered requests of one client by their size. If a client sends requests and does not read the answers, its
 * next requests are not read, so answers do not fill the memory.
 */
public final class RequestBacklog {

    private static final int MOST = 16 << 20;
    private static final int LEAST_WEIGHT = 1 << 16;

    private final Semaphore permits = new Semaphore(MOST);

    /** Waits until a further request fits. Returns its weight; pass it to {@link #leave} when the request is answered. */
    public int enter(String request) throws InterruptedException {
        int weight = Math.clamp(request.length(), LEAST_WEIGHT, MOST);
        permits.acquire(weight);
        return weight;
    }

    public void leave(int weight) {
        permits.release(weight);
    }
}
