package dev.roost.git.checkpoint;

import dev.roost.git.GitPath;

/** A file or directory that a checkpoint omits. Its bytes are -1 if they were not counted. */
public record OmittedFile(GitPath path, OmissionReason kind, long bytes) {

    public enum OmissionReason {
        /** Ignored by git. */
        IGNORED,
        TOO_BIG,
        /** Another repository: a populated submodule, a nested clone. */
        REPOSITORY,
        UNREADABLE,
        /** A pipe, a socket, a device. */
        SPECIAL,
        /** A part of its path is {@code .git} in upper case letters, which git allows in no tree. */
        NAME
    }
}
