package dev.roost.git.checkpoint;

/** Something in a worktree that a checkpoint does not hold. Bytes are -1 where they were not counted. */
public record OmittedFile(String path, OmissionReason kind, long bytes) {

    public enum OmissionReason {
        /** Ignored by git. */
        IGNORED,
        TOO_BIG,
        /** Another repository: a populated submodule, a nested clone. */
        REPOSITORY,
        UNREADABLE,
        /** A pipe, a socket, a device. */
        SPECIAL,
        /** A part of its path is {@code .git} in upper case letters, which git takes into no tree. */
        NAME
    }
}
