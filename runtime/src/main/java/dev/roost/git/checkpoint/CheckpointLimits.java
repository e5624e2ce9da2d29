package dev.roost.git.checkpoint;

/** What a checkpoint takes in: files up to so many bytes, and ignored ones if that is wanted. */
public record CheckpointLimits(long mostBytes, boolean ignoredToo) {

    public static final CheckpointLimits DEFAULT = new CheckpointLimits(50L << 20, false);
}
