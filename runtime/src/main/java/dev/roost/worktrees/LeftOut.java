package dev.roost.worktrees;

/** Something in a worktree that a checkpoint does not hold. Bytes are -1 where they were not counted. */
public record LeftOut(String path, Kind kind, long bytes) {

    public enum Kind {
        /** Ignored by git. */
        IGNORED,
        TOO_BIG,
        /** Another repository: a populated submodule, a nested clone. */
        REPOSITORY,
        UNREADABLE,
        /** A pipe, a socket, a device. */
        SPECIAL
    }
}
