package dev.roost.daemon.http;

import dev.roost.base.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Counts requests with a wrong secret within the last minute. */
final class AuthFailureLimit {

    private static final int MOST = 20;
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final Clock clock;
    private final Deque<Long> recentFailures = new ArrayDeque<>();

    AuthFailureLimit(Clock clock) {
        this.clock = clock;
    }

    /** Counts one more failure; true if the limit is exceeded. */
    synchronized boolean exceedsLimit() {
        long now = clock.monotonicNanos();
        while (!recentFailures.isEmpty() && now - recentFailures.getFirst() > WINDOW.toNanos())
            recentFailures.removeFirst();
        if (recentFailures.size() == MOST) return true;
        recentFailures.addLast(now);
        return false;
    }
}
