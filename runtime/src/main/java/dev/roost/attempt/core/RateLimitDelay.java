package dev.roost.attempt.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Decides until when a run is parked after the model's provider has limited its rate. */
final class RateLimitDelay {

    private static final Duration FIRST = Duration.ofMinutes(1);
    private static final Duration LONGEST = Duration.ofMinutes(30);

    /** Ignores a reset time beyond this: no provider's limit lasts longer, so the number is wrong. */
    private static final Duration FARTHEST = Duration.ofDays(60);

    private RateLimitDelay() {}

    /** The provider's reset time, else a delay that doubles with each rate limit before in this turn. */
    static Instant until(Instant now, Optional<Instant> reset, long before) {
        return reset.filter(now::isBefore).filter(now.plus(FARTHEST)::isAfter).orElseGet(() -> now.plus(delay(before)));
    }

    private static Duration delay(long before) {
        var longer = FIRST.multipliedBy(1L << Math.min(before, 10));
        return longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
    }
}
