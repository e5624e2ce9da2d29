package dev.roost.run;

import java.time.Duration;
import java.util.Optional;

/** What a run may use. Caps are enforced while it runs. */
public record Budget(Optional<Duration> maxTime, long maxOutput) {

    public static final long DEFAULT_MAX_OUTPUT = 1L << 30;
}
