package dev.roost.git.checkpoint;

import dev.roost.git.GitPath;

/** Something that a checkpoint leaves out, by its exact name. */
public record OmittedPath(GitPath path, OmittedFile.OmissionReason kind, long bytes) {

    public OmittedFile toOmittedFile() {
        return new OmittedFile(path.text(), kind, bytes);
    }
}
