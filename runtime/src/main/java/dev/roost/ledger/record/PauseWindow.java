package dev.roost.ledger.record;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A time in which nobody looked after the runs, the runs that were live when it began, and what was done about it. */
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

    /** A run that was live when the pause began, as it is now; and the attempt that was live then. */
    public record AffectedRun(RunRecord run, AttemptRecord attempt) {

        public AffectedRunState state() {
            boolean latest = attempt.n() == run.latest().n();
            if (!attempt.status().ended()) return AffectedRunState.LIVE;
            if (attempt.status() == dev.roost.model.Status.ABANDONED)
                return latest ? AffectedRunState.LOST : AffectedRunState.RESUMED;
            return latest ? AffectedRunState.ENDED : AffectedRunState.WENT_ON;
        }
    }

    /** What became of a run that was live when a pause began. */
    public enum AffectedRunState {
        LIVE,
        ENDED,
        /** Its processes were lost, and nobody took it up again. */
        LOST,
        /** Its processes were lost, and its next attempt went on. */
        RESUMED,
        /** It ended, and somebody has continued it since. */
        WENT_ON
    }

    public Duration length() {
        return endedAt.map(end -> Duration.between(beganAt, end)).orElse(Duration.ZERO);
    }
}
