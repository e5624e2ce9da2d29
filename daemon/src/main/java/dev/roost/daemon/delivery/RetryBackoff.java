package dev.roost.daemon.delivery;

import dev.roost.ledger.record.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** When to try again: soon at first, later hourly, until it has failed for so long that nobody waits for it any more. */
record RetryBackoff(Duration giveUp) {

    static final Duration LONGEST = Duration.ofHours(1);

    private static final List<Duration> STEPS = List.of(
            Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(2), Duration.ofMinutes(10), LONGEST);

    /** Empty: never. It counts from the first failure, so that what a sleeping machine could not try is tried. */
    Optional<Instant> after(Delivery failed, Instant now) {
        var since = failed.failingSince().orElse(now);
        if (!now.isBefore(since.plus(giveUp))) return Optional.empty();
        return Optional.of(now.plus(STEPS.get(Math.min(failed.tries(), STEPS.size() - 1))));
    }
}
