package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A small repository, and worktrees of it. */
abstract class InARepository {

    @TempDir
    Path room;

    Repo repo;
    Worktrees worktrees;

    @BeforeEach
    void makeRepository() {
        repo = Repo.in(room);
        worktrees = open();
    }

    Worktrees open() {
        return repo.worktrees();
    }

    Made ensure(Worktree w) {
        return worktrees.ensure(w, repo.kept);
    }

    void assertGood(Worktree w) {
        var inside = repo.at(w.path());
        assertThat(worktrees.isIntact(w)).isTrue();
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
        assertThat(inside.status()).isEmpty();
        assertThat(inside.files()).isEqualTo(repo.files());
        assertThat(repo.git("worktree", "list", "--porcelain")).contains("locked roost " + w.run());
        assertThat(repo.git("worktree", "list", "--porcelain")).contains("worktree " + w.path() + "\n");
        try (var all = Files.list(w.path().getParent())) {
            assertThat(all.map(p -> p.getFileName().toString())).noneMatch(name -> name.startsWith(".roost"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
