package dev.roost.ledger.record;

import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import dev.roost.model.Phase;
import dev.roost.model.Question;
import dev.roost.model.RunState;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import dev.roost.model.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** One process of a run, as recorded; {@code node} is its node, in a cluster. */
public record AttemptRecord(
        int n,
        int turn,
        Status status,
        Optional<Phase> phase,
        Optional<Cause> cause,
        Optional<Evidence> evidence,
        Optional<StopReason> stopping,
        Optional<StartedProcesses> began,
        AttemptProgress progress,
        Optional<Instant> parkedUntil,
        Optional<PendingQuestion> asked,
        long resultBytes,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> endedAt,
        Optional<Instant> readAt,
        Optional<String> node) {

    /** An open question and the time it was asked. */
    public record PendingQuestion(Question question, Instant at) {}

    /** The first attempt of a newly accepted run. */
    static AttemptRecord first(Instant at) {
        return new AttemptRecord(
                1,
                1,
                Status.QUEUED,
                Optional.of(Phase.WAITING_FOR_SLOT),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                AttemptProgress.of(StreamPosition.START),
                Optional.empty(),
                Optional.empty(),
                0,
                at,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public StreamPosition position() {
        return progress.position();
    }

    public Usage usage() {
        return progress.usage();
    }

    public boolean unread() {
        return status.ended() && readAt.isEmpty();
    }

    /** The duration by the wall clock; empty if the clock was set back meanwhile. */
    public Optional<Duration> took() {
        return startedAt
                .flatMap(from -> endedAt.map(to -> Duration.between(from, to)))
                .filter(time -> !time.isNegative());
    }

    public RunState state() {
        return switch (status) {
            case QUEUED -> new RunState.Queued(n);
            case RUNNING -> new RunState.Running(n, stopping);
            case COMPLETED -> new RunState.Ended(n, new Outcome.Completed());
            case COMPLETED_EMPTY -> new RunState.Ended(n, new Outcome.CompletedEmpty());
            case CANCELED_BY_USER -> new RunState.Ended(n, new Outcome.Canceled());
            case FAILED -> new RunState.Ended(n, new Outcome.Failed(cause.orElseThrow()));
            case ABANDONED -> new RunState.Ended(n, new Outcome.Abandoned(cause.orElseThrow()));
        };
    }
}
