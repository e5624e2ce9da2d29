package dev.roost.ledger.record;

import dev.roost.model.Owner;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A durable message to an owner. */
public sealed interface NoticeRecord {

    long id();

    String kind();

    Owner owner();

    Instant createdAt();

    /** The same in every home and for ever, unlike the id. */
    String key();

    /**
     * What it says of one run and one of its attempts: it ended, it asks, it changed. {@code before}: the earlier
     * attempts of the same turn, which did not come to its end.
     */
    record RunNotice(
            long id,
            String kind,
            int sequence,
            Owner owner,
            Instant createdAt,
            RunRecord run,
            AttemptRecord attempt,
            List<AttemptRecord> before)
            implements NoticeRecord {

        @Override
        public String key() {
            return "%s.%d.%s.%d".formatted(run.id(), attempt.n(), kind, sequence);
        }
    }

    /** A report of a time in which nobody looked after the owner's runs; {@code pause} has those of this owner only. */
    record PauseNotice(long id, Owner owner, Instant createdAt, PauseWindow pause) implements NoticeRecord {

        @Override
        public String kind() {
            return "pause";
        }

        @Override
        public String key() {
            return "pause.%d.%s".formatted(pause.beganAt().toEpochMilli(), owner);
        }
    }

    /** What it says of a run, if it is about one. */
    default Optional<RunNotice> ofRun() {
        return this instanceof RunNotice one ? Optional.of(one) : Optional.empty();
    }
}
