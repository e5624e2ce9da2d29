package dev.roost.output;

import dev.roost.model.RunId;
import java.util.Optional;

/** The output of runs that live here: the attempts write it, the readers ask how far it is. */
public interface LiveOutput {

    /** How long the run's output.md is by now; empty if no attempt of it is led here. */
    Optional<Long> outputLength(RunId run);

    /** Whether an attempt or its recovery here is in charge of the run's files. */
    boolean isOwned(RunId run);
}
