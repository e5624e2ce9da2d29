package dev.roost.git;

import dev.roost.base.Refusal;

/** The git program is not installed. */
record NoGit() {
    Refusal asRefused() {
        return new Refusal(
                "no_git",
                "A worktree needs git, and no git program was found.",
                "Install git, or start the run without a worktree.");
    }
}
