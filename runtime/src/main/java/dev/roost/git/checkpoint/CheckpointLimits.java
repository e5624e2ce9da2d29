package dev.roost.git.checkpoint;

/** The largest file that a checkpoint includes, and whether it includes ignored files. */
public record CheckpointLimits(long mostBytes, boolean ignoredToo) {

    public static final CheckpointLimits DEFAULT = new CheckpointLimits(50L << 20, false);
}
