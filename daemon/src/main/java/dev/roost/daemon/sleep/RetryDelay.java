package dev.roost.daemon.sleep;

import java.time.Duration;

/** The delay before the next try. It doubles up to a minute, and is short again after a try that lasted for a minute. */
final class RetryDelay {

    static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private Duration next = SHORTEST;

    Duration after(Duration lasted) {
        if (lasted.compareTo(LONGEST) >= 0) next = SHORTEST;
        var wait = next;
        next = wait.multipliedBy(2).compareTo(LONGEST) > 0 ? LONGEST : wait.multipliedBy(2);
        return wait;
    }
}
