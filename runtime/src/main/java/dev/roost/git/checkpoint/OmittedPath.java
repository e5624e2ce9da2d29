package dev.roost.git.checkpoint;

import dev.roost.git.GitPath;

/** The exact path of a file or directory that a checkpoint omits. */
public record OmittedPath(GitPath path, OmittedFile.OmissionReason kind, long bytes) {

    public OmittedFile toOmittedFile() {
        return new OmittedFile(path.text(), kind, bytes);
    }
}
