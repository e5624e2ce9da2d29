package dev.roost.cluster.files;

import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import java.util.Map;

/** The claim of an attempt to write the files of its run, each from the given length on. */
public record WriterClaim(RunId run, int attempt, Map<SharedFileName, Long> lengths) {

    public WriterClaim {
        lengths = Map.copyOf(lengths);
    }
}
