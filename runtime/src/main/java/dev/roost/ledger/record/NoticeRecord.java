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

    /** A globally unique and permanent key, unlike the id. */
    String key();

    /**
     * A notice about one attempt of a run: it ended, it needs input, or it changed. {@code before}: the earlier attempts of
     * the same turn.
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

    /** A pause report; {@code pause} contains only this owner's runs. */
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

    /** This notice as a run notice, if it is about a run. */
    default Optional<RunNotice> ofRun() {
        return this instanceof RunNotice one ? Optional.of(one) : Optional.empty();
    }
}
