package dev.roost.git.worktree.testing;

import dev.roost.git.SampleRepository;
import dev.roost.git.Worktree;
import org.junit.jupiter.api.BeforeEach;

/** One worktree of a small repository. */
public abstract class WorktreeFixture extends RepositoryFixture {

    public Worktree w;
    public SampleRepository inside;

    @BeforeEach
    void makeWorktree() {
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
    }
}
