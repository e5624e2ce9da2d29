package dev.roost.house;

import dev.roost.ledger.Attempt;
import dev.roost.ledger.Run;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** What a run has said so far, and its result once it has ended. */
public record Output(
        Run run,
        Attempt attempt,
        Optional<String> result,
        Optional<Path> resultFile,
        String text,
        long nextCursor,
        boolean more,
        Optional<Duration> waited,
        boolean timedOut) {

    /** The same, after several waits in a row. */
    public Output afterWaiting(Duration waited) {
        return new Output(run, attempt, result, resultFile, text, nextCursor, more, Optional.of(waited), timedOut);
    }

    /** What a reader waits for. */
    public enum Until {
        NOW,
        /** Anything new after the cursor, or the end. */
        NEWS,
        END
    }

    public record Request(Optional<Integer> attempt, long cursor, Until until, Duration timeout) {
        public static Request now() {
            return new Request(Optional.empty(), 0, Until.NOW, Duration.ZERO);
        }
    }
}
