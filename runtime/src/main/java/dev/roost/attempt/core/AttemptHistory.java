package dev.roost.attempt.core;

import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.Cause;
import dev.roost.model.EventKind;
import dev.roost.model.Status;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** How often the run was lost and rate-limited before in this turn. A move by the operator is not a loss. */
public record AttemptHistory(long losses, long rateLimits) {

    /** So many losses before the start are not counted; more of them count, as the run may crash every machine. */
    private static final int UNCOUNTED_EARLY_LOSSES = 8;

    private static final Optional<Cause> WORKER_LOST = Optional.of(Cause.WORKER_LOST);

    public static AttemptHistory of(int turn, List<AttemptRecord> attempts, List<TimelineEvent> events) {
        var moved = events.stream()
                .filter(event -> EventKind.MOVING.is(event.kind()))
                .map(TimelineEvent::attempt)
                .collect(Collectors.toSet());
        var inTurn = attempts.stream().filter(attempt -> attempt.turn() == turn).toList();
        var lost = inTurn.stream()
                .filter(attempt -> attempt.status() == Status.ABANDONED)
                .filter(attempt ->
                        !(moved.contains(attempt.n()) && attempt.cause().equals(WORKER_LOST)))
                .toList();
        long begun =
                lost.stream().filter(attempt -> attempt.began().isPresent()).count();
        long rateLimits = inTurn.stream()
                .filter(attempt -> attempt.cause().equals(Optional.of(Cause.RATE_LIMITED)))
                .count();
        return new AttemptHistory(begun + Math.max(0, lost.size() - begun - UNCOUNTED_EARLY_LOSSES), rateLimits);
    }

    /** Whether there may be another attempt if this one is lost, too. */
    public boolean allowsLoss(int maxAttempts) {
        return losses + 1 < maxAttempts;
    }
}
