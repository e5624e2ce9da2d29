package dev.roost.worktrees;

import dev.roost.run.Refused;

/** There is no git program to ask. */
record NoGit() {
    Refused asRefused() {
        return new Refused(
                "no_git",
                "A worktree needs git, and no git program was found.",
                "Install git, or start the run without a worktree.");
    }
}
