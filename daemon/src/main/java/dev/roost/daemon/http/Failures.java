package dev.roost.daemon.http;

import dev.roost.run.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** How often somebody came with a wrong secret lately. */
final class Failures {

    private static final int MOST = 20;
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final Clock clock;
    private final Deque<Long> lately = new ArrayDeque<>();

    Failures(Clock clock) {
        this.clock = clock;
    }

    /** Counts one more; true if those are too many. */
    synchronized boolean tooMany() {
        long now = clock.monotonicNanos();
        while (!lately.isEmpty() && now - lately.getFirst() > WINDOW.toNanos()) lately.removeFirst();
        if (lately.size() == MOST) return true;
        lately.addLast(now);
        return false;
    }
}
