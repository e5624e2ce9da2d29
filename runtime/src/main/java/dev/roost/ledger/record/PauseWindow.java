package dev.roost.ledger.record;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A time in which no daemon attended to the runs, the runs that were live when it began, and remarks. */
public record PauseWindow(
        long id,
        Kind kind,
        Instant beganAt,
        Optional<Instant> endedAt,
        List<PauseRemark> remarks,
        List<AffectedRun> runs) {

    public enum Kind {
        SLEEP("the machine slept"),
        DOWNTIME("the daemon was down"),
        REBOOT("the machine restarted"),
        PLANNED("a pause that was announced");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public String inWords() {
            return words;
        }

        public static Kind of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    public record PauseRemark(String text, boolean failed) {}

    /** A run that was live when the pause began, in its current state, and the attempt that was live then. */
    public record AffectedRun(RunRecord run, AttemptRecord attempt) {

        public AffectedRunState state() {
            boolean latest = attempt.n() == run.latest().n();
            if (!attempt.status().ended()) return AffectedRunState.LIVE;
            if (attempt.status() == dev.roost.model.Status.ABANDONED)
                return latest ? AffectedRunState.LOST : AffectedRunState.RESUMED;
            return latest ? AffectedRunState.ENDED : AffectedRunState.WENT_ON;
        }
    }

    /** The state of a run that was live when a pause began. */
    public enum AffectedRunState {
        LIVE,
        ENDED,
        /** The attempt was lost and the run was not resumed. */
        LOST,
        /** The attempt was lost and the next attempt resumed the run. */
        RESUMED,
        /** The attempt ended and a message has continued the run since. */
        WENT_ON
    }

    public Duration length() {
        return endedAt.map(end -> Duration.between(beganAt, end)).orElse(Duration.ZERO);
    }
}
