package dev.roost.worktrees;

import org.junit.jupiter.api.BeforeEach;

/** One worktree of a small repository. */
abstract class InAWorktree extends InARepository {

    Worktree w;
    Repo inside;

    @BeforeEach
    void makeWorktree() {
        w = repo.make();
        inside = repo.at(w.path());
    }
}
