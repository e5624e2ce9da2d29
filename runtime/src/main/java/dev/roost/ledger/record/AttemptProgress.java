package dev.roost.ledger.record;

import dev.roost.model.Usage;
import java.time.Duration;
import java.util.Optional;

/**
 * How far an attempt has come: what was read of it, what it used, how long it was at work and how long
 * it waited for an answer, and its conversation.
 */
public record AttemptProgress(
        StreamPosition position, Usage usage, Duration active, Duration waited, Optional<String> sessionId) {

    public static AttemptProgress of(StreamPosition position) {
        return new AttemptProgress(position, Usage.NONE, Duration.ZERO, Duration.ZERO, Optional.empty());
    }

    /** Added up; the position is of no use then. */
    public AttemptProgress plus(AttemptProgress other) {
        return new AttemptProgress(
                position,
                usage.plus(other.usage),
                active.plus(other.active),
                waited.plus(other.waited),
                sessionId.or(other::sessionId));
    }
}
