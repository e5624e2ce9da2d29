package dev.roost.worktrees;

/** Something that a checkpoint leaves out, by its exact name. */
record Found(GitPath path, LeftOut.Kind kind, long bytes) {

    LeftOut told() {
        return new LeftOut(path.text(), kind, bytes);
    }
}
