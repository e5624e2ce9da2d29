package dev.roost.output;

import dev.roost.model.RunId;
import java.util.Optional;

/** Tells readers how much output the live attempts of this daemon have written. */
public interface LiveOutput {

    /** The current length of the run's output.md; empty if the run has no loop here. */
    Optional<Long> outputLength(RunId run);

    /** Whether an attempt of the run, or its recovery, owns the run's files here. */
    boolean isOwned(RunId run);
}
