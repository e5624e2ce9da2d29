package dev.roost.attempt.core;

import dev.roost.model.Usage;
import java.time.Duration;

/** What the earlier attempts of the same turn used; they have ended, so it does not change any more. */
public record EarlierUsage(Usage usage, Duration active, long outputBytes) {

    public static final EarlierUsage NONE = new EarlierUsage(Usage.NONE, Duration.ZERO, 0);
}
