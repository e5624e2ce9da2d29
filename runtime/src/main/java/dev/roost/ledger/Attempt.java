package dev.roost.ledger;

import dev.roost.run.Cause;
import dev.roost.run.Evidence;
import dev.roost.run.Outcome;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.RunState;
import dev.roost.run.Status;
import dev.roost.run.Stop;
import dev.roost.run.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** One process of a run, as recorded; {@code node} is who has it where there are several machines. */
public record Attempt(
        int n,
        int turn,
        Status status,
        Optional<Phase> phase,
        Optional<Cause> cause,
        Optional<Evidence> evidence,
        Optional<Stop> stopping,
        Optional<Began> began,
        Progress progress,
        Optional<Instant> parkedUntil,
        Optional<Asked> asked,
        long resultBytes,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> endedAt,
        Optional<Instant> readAt,
        Optional<String> node) {

    /** A question that is still open, and since when. */
    public record Asked(Question question, Instant at) {}

    /** Of a run that was accepted just now. */
    static Attempt first(Instant at) {
        return new Attempt(
                1,
                1,
                Status.QUEUED,
                Optional.of(Phase.WAITING_FOR_SLOT),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Progress.of(Position.START),
                Optional.empty(),
                Optional.empty(),
                0,
                at,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public Position position() {
        return progress.position();
    }

    public Usage usage() {
        return progress.usage();
    }

    public boolean unread() {
        return status.ended() && readAt.isEmpty();
    }

    /** How long it took by the wall clock; empty where that was set back meanwhile and so knows nothing. */
    public Optional<Duration> took() {
        return startedAt
                .flatMap(from -> endedAt.map(to -> Duration.between(from, to)))
                .filter(time -> !time.isNegative());
    }

    RunState state() {
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
