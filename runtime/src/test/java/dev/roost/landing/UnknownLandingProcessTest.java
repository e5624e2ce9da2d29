package dev.roost.landing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.git.SafeMove;
import dev.roost.git.SampleRepository;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.worktree.testing.WorktreeFixture;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** A landing claims nothing about files that git cannot look at. */
class UnknownLandingProcessTest extends WorktreeFixture {

    private Landing look() {
        return worktrees.landing(w, Landing.LookupScope.LOCAL);
    }

    private void assertUnknown(String why) {
        var landing = look();
        assertThat(landing.stage().word()).isEqualTo("unknown");
        assertThat(landing.inWords()).startsWith("unknown: ").contains(why);
        assertThat(landing.isClean()).isFalse();
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
    }

    @Test
    void without_its_git_file() throws IOException {
        inside.write("new.txt", "new\n");
        Files.delete(w.path().resolve(".git"));
        assertUnknown("its .git is missing");
    }

    @Test
    void with_a_git_file_that_leads_nowhere() {
        inside.write(".git", "gitdir: /no/where\n");
        assertUnknown("its .git is not the one that Roost made");
    }

    @Test
    void with_a_repository_of_its_own() throws IOException {
        Files.delete(w.path().resolve(".git"));
        inside.git("init", "-q");
        assertUnknown("its .git is not the one that Roost made");
    }

    @Test
    void with_git_s_own_files_gone() throws IOException {
        SafeMove.delete(WorktreeGitDir.of(w.path(), w.common()).orElseThrow().dir());
        assertUnknown("its .git is not the one that Roost made");
    }

    @Test
    void with_an_index_that_git_cannot_read() throws IOException {
        var index = WorktreeGitDir.of(w.path(), w.common()).orElseThrow().index();
        Files.writeString(index, "no index at all, but long enough to be one");
        assertUnknown("git status failed");
    }

    @Test
    void without_directory_and_checkpoint() throws IOException {
        SafeMove.delete(w.path());
        assertUnknown("its directory is gone");
    }

    @Test
    void commits_are_there_and_files_are_unknown() throws IOException {
        inside.write("a.txt", "own\n").commit("own");
        Files.delete(w.path().resolve(".git"));

        assertThat(look().stage()).isEqualTo(Landing.Stage.COMMITTED);
        assertThat(look().inWords()).isEqualTo("committed, 1 ahead, uncommitted files unknown: its .git is missing");

        sampleRepository.git("merge", "-q", w.branch());
        assertThat(look().stage()).isEqualTo(Landing.Stage.MERGED);
        assertThat(look().isClean()).isFalse();
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
    }

    @Test
    void a_checkpoint_knows_what_a_removed_worktree_held() {
        inside.write("new.txt", "new\n");
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        assertThat(look().stage()).isEqualTo(Landing.Stage.UNCOMMITTED);
    }
}
