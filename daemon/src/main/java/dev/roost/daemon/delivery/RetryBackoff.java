package dev.roost.daemon.delivery;

import dev.roost.ledger.record.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The time of the next try: soon at first, later hourly, until a delivery has failed for {@code giveUp}. */
record RetryBackoff(Duration giveUp) {

    static final Duration LONGEST = Duration.ofHours(1);

    private static final List<Duration> STEPS = List.of(
            Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(2), Duration.ofMinutes(10), LONGEST);

    /** Empty if no try is left. The limit counts from the first failure, so a notice that waited during a sleep is still tried. */
    Optional<Instant> after(Delivery failed, Instant now) {
        var since = failed.failingSince().orElse(now);
        if (!now.isBefore(since.plus(giveUp))) return Optional.empty();
        return Optional.of(now.plus(STEPS.get(Math.min(failed.tries(), STEPS.size() - 1))));
    }
}
