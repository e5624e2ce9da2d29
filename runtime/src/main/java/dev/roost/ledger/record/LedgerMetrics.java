package dev.roost.ledger.record;

import dev.roost.model.Outcome;
import dev.roost.model.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Is told what was made durable: after the commit and on the writing thread, so whoever listens must be quick. */
public interface LedgerMetrics {

    LedgerMetrics NONE = new LedgerMetrics() {};

    /** {@code writes} went into one commit, which took that long. */
    default void committed(int writes, Duration took) {}

    /** A commit of so many writes failed, and none of them has happened. */
    default void failed(int writes) {}

    /** The processes of the run's latest attempt are there. */
    default void attemptStarted(AttemptStart begun) {}

    /** An attempt is over; the run itself may go on. */
    default void attemptEnded(AttemptEndMetrics ended) {}

    /** A notice of this run is not pending any more, after so long. */
    default void acknowledged(RunId run, long notice, Duration waited) {}

    /** {@code asked}: somebody waits for this attempt, it does not just follow one that was lost or parked. */
    record AttemptStart(RunRecord run, boolean asked, Instant at) {

        /** From the wish to the process; a clock that was set back knows of none. */
        public Optional<Duration> lag() {
            var lag = Duration.between(run.latest().createdAt(), at);
            return asked && !lag.isNegative() ? Optional.of(lag) : Optional.empty();
        }
    }

    /** {@code run} is what it was before the end; the end was committed {@code at} that time. */
    record AttemptEndMetrics(RunRecord run, Outcome outcome, AttemptEnd end, Instant at) {

        /** From the process's exit to the commit, if there was an exit and a daemon to see it. */
        public Optional<Duration> lag() {
            boolean seen =
                    end.evidence().exit().isPresent() && end.evidence().active().isPresent();
            var lag = Duration.between(end.at(), at);
            return seen && !lag.isNegative() ? Optional.of(lag) : Optional.empty();
        }
    }

    /** Tells each of them. */
    static LedgerMetrics all(List<? extends LedgerMetrics> meters) {
        return new LedgerMetrics() {
            @Override
            public void committed(int writes, Duration took) {
                meters.forEach(one -> one.committed(writes, took));
            }

            @Override
            public void failed(int writes) {
                meters.forEach(one -> one.failed(writes));
            }

            @Override
            public void attemptStarted(AttemptStart begun) {
                meters.forEach(one -> one.attemptStarted(begun));
            }

            @Override
            public void attemptEnded(AttemptEndMetrics ended) {
                meters.forEach(one -> one.attemptEnded(ended));
            }

            @Override
            public void acknowledged(RunId run, long notice, Duration waited) {
                meters.forEach(one -> one.acknowledged(run, notice, waited));
            }
        };
    }
}
