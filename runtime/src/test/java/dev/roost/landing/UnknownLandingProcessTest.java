package dev.roost.landing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.git.SafeMove;
import dev.roost.git.SampleRepository;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.worktree.testing.WorktreeFixture;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** A landing is unknown where git cannot read the files of the worktree. */
class UnknownLandingProcessTest extends WorktreeFixture {

    private Landing landing() {
        return worktrees.landing(w, Landing.LookupScope.LOCAL);
    }

    private void assertUnknown(String why) {
        var landing = landing();
        assertThat(landing.stage().word()).isEqualTo("unknown");
        assertThat(landing.inWords()).startsWith("unknown: ").contains(why);
        assertThat(landing.isClean()).isFalse();
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
    }

    @Test
    void a_worktree_without_its_git_file_has_an_unknown_landing() throws IOException {
        inside.write("new.txt", "new\n");
        Files.delete(w.path().resolve(".git"));
        assertUnknown("its .git is missing");
    }

    @Test
    void a_worktree_with_a_broken_git_file_has_an_unknown_landing() {
        inside.write(".git", "gitdir: /no/where\n");
        assertUnknown("its .git is not the one that Roost made");
    }

    @Test
    void a_worktree_replaced_by_a_repository_has_an_unknown_landing() throws IOException {
        Files.delete(w.path().resolve(".git"));
        inside.git("init", "-q");
        assertUnknown("its .git is not the one that Roost made");
    }

    @Test
    void a_worktree_without_its_git_directory_has_an_unknown_landing() throws IOException {
        SafeMove.delete(WorktreeGitDir.of(w.path(), w.common()).orElseThrow().dir());
        assertUnknown("its .git is not the one that Roost made");
    }

    @Test
    void a_worktree_with_a_corrupt_index_has_an_unknown_landing() throws IOException {
        var index = WorktreeGitDir.of(w.path(), w.common()).orElseThrow().index();
        Files.writeString(index, "no index at all, but long enough to be one");
        assertUnknown("git status failed");
    }

    @Test
    void a_deleted_worktree_without_a_checkpoint_has_an_unknown_landing() throws IOException {
        SafeMove.delete(w.path());
        assertUnknown("its directory is gone");
    }

    @Test
    void commits_count_even_if_the_uncommitted_files_are_unknown() throws IOException {
        inside.write("a.txt", "own\n").commit("own");
        Files.delete(w.path().resolve(".git"));

        assertThat(landing().stage()).isEqualTo(Landing.Stage.COMMITTED);
        assertThat(landing().inWords()).isEqualTo("committed, 1 ahead, uncommitted files unknown: its .git is missing");

        sampleRepository.git("merge", "-q", w.branch());
        assertThat(landing().stage()).isEqualTo(Landing.Stage.MERGED);
        assertThat(landing().isClean()).isFalse();
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
    }

    @Test
    void the_checkpoint_of_a_removed_worktree_names_its_uncommitted_files() {
        inside.write("new.txt", "new\n");
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        assertThat(landing().stage()).isEqualTo(Landing.Stage.UNCOMMITTED);
    }
}
