package dev.roost.ledger.record;

import dev.roost.model.Usage;
import java.time.Duration;
import java.util.Optional;

/**
 * How far an attempt has come: the position in its output, its usage, its working time, its time waiting for answers, and
 * its session id.
 */
public record AttemptProgress(
        StreamPosition position, Usage usage, Duration active, Duration waited, Optional<String> sessionId) {

    public static AttemptProgress of(StreamPosition position) {
        return new AttemptProgress(position, Usage.NONE, Duration.ZERO, Duration.ZERO, Optional.empty());
    }

    /** The sum of two attempts; the position is that of this one and has no meaning for the sum. */
    public AttemptProgress plus(AttemptProgress other) {
        return new AttemptProgress(
                position,
                usage.plus(other.usage),
                active.plus(other.active),
                waited.plus(other.waited),
                sessionId.or(other::sessionId));
    }
}
