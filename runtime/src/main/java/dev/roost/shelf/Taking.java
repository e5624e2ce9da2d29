package dev.roost.shelf;

import dev.roost.run.RunId;
import java.util.Map;

/** An attempt wants to write the files of its run, each from its length on. */
public record Taking(RunId run, int attempt, Map<ShelfName, Long> lengths) {

    public Taking {
        lengths = Map.copyOf(lengths);
    }
}
