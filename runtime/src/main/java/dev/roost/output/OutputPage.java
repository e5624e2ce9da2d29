package dev.roost.output;

import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A part of the output of a run, and its result once it has ended. */
public record OutputPage(
        RunRecord run,
        AttemptRecord attempt,
        Optional<String> result,
        Optional<Path> resultFile,
        String text,
        long nextCursor,
        boolean more,
        Optional<Duration> waited,
        boolean timedOut) {

    /** A copy with the total of several waits in a row. */
    public OutputPage afterWaiting(Duration waited) {
        return new OutputPage(run, attempt, result, resultFile, text, nextCursor, more, Optional.of(waited), timedOut);
    }

    /** The condition that a reader waits for. */
    public enum WaitMode {
        NOW,
        /** New output after the cursor, or the end. */
        NEWS,
        END
    }

    public record Request(Optional<Integer> attempt, long cursor, WaitMode until, Duration timeout) {
        public static Request now() {
            return new Request(Optional.empty(), 0, WaitMode.NOW, Duration.ZERO);
        }
    }
}
