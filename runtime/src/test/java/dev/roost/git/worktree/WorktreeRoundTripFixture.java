package dev.roost.git.worktree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.git.SampleRepository;
import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.worktree.GitWorktrees.RemoveResult;
import dev.roost.git.worktree.testing.WorktreeFixture;
import java.nio.file.Path;

/** A worktree that the test removes and restores. */
abstract class WorktreeRoundTripFixture extends WorktreeFixture {

    @Override
    public GitWorktrees open() {
        return sampleRepository.worktrees(new CheckpointLimits(10_000, false));
    }

    RemoveResult remove() {
        var removeResult = worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        assertThat(w.path()).doesNotExist();
        assertThat(sampleRepository.git("worktree", "list"))
                .doesNotContain(w.run().text());
        assertThat(WorktreeRemover.aside(w)).doesNotExist();
        return removeResult;
    }

    Path restore() {
        return worktrees.restore(w, w.path(), sampleRepository.kept, SampleRepository.newest());
    }

    /** Removes and restores the worktree, and checks that nothing in it has changed. */
    void removeAndRestore() {
        var files = inside.files();
        var status = inside.status();
        var head = inside.git("rev-parse", "HEAD");
        var branch = inside.git("rev-parse", "--abbrev-ref", "HEAD");
        remove();
        sampleRepository.git("gc", "-q", "--prune=now");
        restore();
        assertThat(inside.files()).isEqualTo(files);
        assertThat(inside.status()).isEqualTo(status);
        assertThat(inside.git("rev-parse", "HEAD")).isEqualTo(head);
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(branch);
        assertThat(sampleRepository.git("worktree", "list", "--porcelain")).contains("locked roost " + w.run());
        assertThat(sampleRepository.kept.resolve(w.run().text())).doesNotExist();
    }
}
