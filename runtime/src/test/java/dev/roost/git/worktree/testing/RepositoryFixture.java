package dev.roost.git.worktree.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.git.SampleRepository;
import dev.roost.git.Worktree;
import dev.roost.git.worktree.EnsureResult;
import dev.roost.git.worktree.GitWorktrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A small repository, and worktrees of it. */
public abstract class RepositoryFixture {

    @TempDir
    Path room;

    public SampleRepository sampleRepository;
    public GitWorktrees worktrees;

    @BeforeEach
    void makeRepository() {
        sampleRepository = SampleRepository.in(room);
        worktrees = open();
    }

    public GitWorktrees open() {
        return sampleRepository.worktrees();
    }

    public EnsureResult ensure(Worktree w) {
        return worktrees.ensure(w, sampleRepository.kept);
    }

    public void assertGood(Worktree w) {
        var inside = sampleRepository.at(w.path());
        assertThat(worktrees.isIntact(w)).isTrue();
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
        assertThat(inside.status()).isEmpty();
        assertThat(inside.files()).isEqualTo(sampleRepository.files());
        assertThat(sampleRepository.git("worktree", "list", "--porcelain")).contains("locked roost " + w.run());
        assertThat(sampleRepository.git("worktree", "list", "--porcelain")).contains("worktree " + w.path() + "\n");
        try (var all = Files.list(w.path().getParent())) {
            assertThat(all.map(p -> p.getFileName().toString())).noneMatch(name -> name.startsWith(".roost"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
