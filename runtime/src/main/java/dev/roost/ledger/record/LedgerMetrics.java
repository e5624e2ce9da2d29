package dev.roost.ledger.record;

import dev.roost.model.Outcome;
import dev.roost.model.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Metrics of commits. The writing thread calls these methods after a commit, so implementations must be quick. */
public interface LedgerMetrics {

    LedgerMetrics NONE = new LedgerMetrics() {};

    /** A commit of {@code writes} writes succeeded after {@code took}. */
    default void committed(int writes, Duration took) {}

    /** A commit of {@code writes} writes failed and was rolled back. */
    default void failed(int writes) {}

    /** The processes of the run's latest attempt started. */
    default void attemptStarted(AttemptStart start) {}

    /** An attempt ended; the run may continue. */
    default void attemptEnded(AttemptEndMetrics ended) {}

    /** A notice of this run was acknowledged after {@code waited}. */
    default void acknowledged(RunId run, long notice, Duration waited) {}

    /** {@code asked}: the attempt starts a turn, and does not follow a lost or parked attempt. */
    record AttemptStart(RunRecord run, boolean asked, Instant at) {

        /** The time from the request to the process; empty if the clock was set back. */
        public Optional<Duration> lag() {
            var lag = Duration.between(run.latest().createdAt(), at);
            return asked && !lag.isNegative() ? Optional.of(lag) : Optional.empty();
        }
    }

    /** {@code run} is the run before the end; the end was committed at {@code at}. */
    record AttemptEndMetrics(RunRecord run, Outcome outcome, AttemptEnd end, Instant at) {

        /** The time from the process's exit to the commit, if there was an exit and a daemon observed it. */
        public Optional<Duration> lag() {
            boolean seen =
                    end.evidence().exit().isPresent() && end.evidence().active().isPresent();
            var lag = Duration.between(end.at(), at);
            return seen && !lag.isNegative() ? Optional.of(lag) : Optional.empty();
        }
    }

    /** Metrics that forward to all of these. */
    static LedgerMetrics all(List<? extends LedgerMetrics> metrics) {
        return new LedgerMetrics() {
            @Override
            public void committed(int writes, Duration took) {
                metrics.forEach(one -> one.committed(writes, took));
            }

            @Override
            public void failed(int writes) {
                metrics.forEach(one -> one.failed(writes));
            }

            @Override
            public void attemptStarted(AttemptStart start) {
                metrics.forEach(one -> one.attemptStarted(start));
            }

            @Override
            public void attemptEnded(AttemptEndMetrics ended) {
                metrics.forEach(one -> one.attemptEnded(ended));
            }

            @Override
            public void acknowledged(RunId run, long notice, Duration waited) {
                metrics.forEach(one -> one.acknowledged(run, notice, waited));
            }
        };
    }
}
