package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

/** A worktree that is removed and brought back. */
abstract class ThereAndBack extends InAWorktree {

    @Override
    Worktrees open() {
        return repo.worktrees(new CheckpointLimits(10_000, false));
    }

    Removed remove() {
        var removed = worktrees.remove(w, repo.kept, Repo.NOW);
        assertThat(w.path()).doesNotExist();
        assertThat(repo.git("worktree", "list")).doesNotContain(w.run().text());
        assertThat(Removing.aside(w)).doesNotExist();
        return removed;
    }

    Path restore() {
        return worktrees.restore(w, w.path(), repo.kept, Repo.newest());
    }

    /** Removes and restores; everything must be as it was. */
    void thereAndBack() {
        var files = inside.files();
        var status = inside.status();
        var head = inside.git("rev-parse", "HEAD");
        var branch = inside.git("rev-parse", "--abbrev-ref", "HEAD");
        remove();
        repo.git("gc", "-q", "--prune=now");
        restore();
        assertThat(inside.files()).isEqualTo(files);
        assertThat(inside.status()).isEqualTo(status);
        assertThat(inside.git("rev-parse", "HEAD")).isEqualTo(head);
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(branch);
        assertThat(repo.git("worktree", "list", "--porcelain")).contains("locked roost " + w.run());
        assertThat(repo.kept.resolve(w.run().text())).doesNotExist();
    }
}
