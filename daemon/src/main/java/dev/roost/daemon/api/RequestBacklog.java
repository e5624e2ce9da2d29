package dev.roost.daemon.api;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;

/**
 * Limits the unanswered requests of one client by their size. If a client sends requests and does not read the answers, its
 * next requests are not read, so answers do not fill the memory.
 */
public final class RequestBacklog {

    private static final int MOST = 16 << 20;
    private static final int LEAST_WEIGHT = 1 << 16;

    private final Semaphore permits = new Semaphore(MOST);

    /** Runs the task that answers the request in a thread of its own. Waits before until the request fits. */
    public void execute(ExecutorService threads, String request, Runnable task) throws InterruptedException {
        int weight = Math.clamp(request.length(), LEAST_WEIGHT, MOST);
        permits.acquire(weight);
        threads.execute(() -> {
            try {
                task.run();
            } finally {
                permits.release(weight);
            }
        });
    }
}
