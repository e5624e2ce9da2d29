package dev.roost.ledger;

import dev.roost.run.Usage;
import java.time.Duration;
import java.util.Optional;

/**
 * How far an attempt has come: what was read of it, what it used, how long it was at work and how long
 * it waited for an answer, and its conversation.
 */
public record Progress(Position position, Usage usage, Duration active, Duration waited, Optional<String> sessionId) {

    public static Progress of(Position position) {
        return new Progress(position, Usage.NONE, Duration.ZERO, Duration.ZERO, Optional.empty());
    }

    /** Added up; the position is of no use then. */
    public Progress plus(Progress other) {
        return new Progress(
                position,
                usage.plus(other.usage),
                active.plus(other.active),
                waited.plus(other.waited),
                sessionId.or(other::sessionId));
    }
}
