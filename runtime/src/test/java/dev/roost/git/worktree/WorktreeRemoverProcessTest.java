package dev.roost.git.worktree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.roost.base.Refusal;
import dev.roost.git.SafeMove;
import dev.roost.git.SampleRepository;
import dev.roost.git.WorktreeGitDir;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;

/** A removal keeps everything in the worktree, and an interrupted removal is undone or completed. */
class WorktreeRemoverProcessTest extends WorktreeRoundTripFixture {

    @Test
    void a_restore_undoes_an_interrupted_removal() throws IOException {
        inside.write("new.txt", "x\n");
        worktrees.checkpoint(w, "test", SampleRepository.NOW);
        Files.move(w.path(), WorktreeRemover.aside(w), StandardCopyOption.ATOMIC_MOVE);
        Files.createDirectory(w.path()); // another process created it again

        assertThat(restore()).isEqualTo(w.path());
        assertThat(inside.read("new.txt")).isEqualTo("x\n");
        assertThat(WorktreeRemover.aside(w)).doesNotExist();
    }

    @Test
    void a_nested_clone_with_unpushed_work_blocks_the_removal_and_a_clean_one_is_restored() throws IOException {
        sampleRepository.git("init", "-q", "--bare", "../lib.git");
        inside.git("clone", "-q", sampleRepository.room.resolve("lib.git").toString(), "clone");
        var clone = sampleRepository.at(w.path().resolve("clone"));
        clone.write("c.txt", "clone\n");
        assertNotKept("not committed");
        clone.commit("clone");
        assertNotKept("on none of its remotes");
        clone.git("push", "-q", "origin", "HEAD");
        var files = inside.files();

        remove();
        assertThat(sampleRepository.kept.resolve(w.run().text()).resolve("files/clone/.git"))
                .isDirectory();
        restore();

        assertThat(inside.files().keySet()).containsExactlyElementsOf(files.keySet());
        assertThat(clone.status()).isEmpty();
    }

    @Test
    void a_submodule_with_unpushed_work_blocks_the_removal_and_a_clean_one_is_restored() {
        sampleRepository.git("init", "-q", "../lib");
        sampleRepository
                .at(sampleRepository.room.resolve("lib"))
                .write("lib.txt", "lib\n")
                .commit("lib");
        sampleRepository.git(
                "submodule",
                "--quiet",
                "add",
                sampleRepository.room.resolve("lib").toString(),
                "lib");
        sampleRepository.commit("with lib");
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
        inside.git("submodule", "--quiet", "update", "--init");
        var lib = sampleRepository.at(w.path().resolve("lib"));
        lib.write("lib.txt", "changed\n");
        assertNotKept("not committed");
        lib.commit("own");
        assertNotKept("on none of its remotes");
        lib.git("push", "-q", "origin", "HEAD:refs/heads/own");
        lib.git("fetch", "-q");

        var status = inside.status();
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        assertThat(w.path()).doesNotExist();
        restore();

        assertThat(inside.status()).isEqualTo(status);
        assertThat(lib.read("lib.txt")).isEqualTo("changed\n");
        assertThat(lib.git("log", "-1", "--format=%s")).isEqualTo("own");
    }

    private void assertNotKept(String why) {
        assertThatThrownBy(() -> worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW))
                .isInstanceOfSatisfying(Refusal.class, e -> {
                    assertThat(e.code()).isEqualTo("work_not_kept");
                    assertThat(e.sentence()).contains(why);
                });
        assertThat(worktrees.isIntact(w)).isTrue();
    }

    @Test
    void pipes_and_invalid_git_directories_are_restored() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", w.path().resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        inside.write("odd/.git/not-a-repository", "x");

        remove();
        restore();

        assertThat(inside.files()).containsKey("pipe").containsKey("odd/.git/not-a-repository");
    }

    @Test
    void the_kept_directory_may_be_on_another_filesystem() throws IOException {
        var memory = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(memory)
                && !Files.getFileStore(memory).equals(Files.getFileStore(sampleRepository.room)));
        var kept = Files.createTempDirectory(memory, "roost-kept");
        try {
            inside.write(".gitignore", "*.log\ncache/\n").write("x.log", "log").write("cache/deep/y", "y");
            w.path().resolve("cache/deep/y").toFile().setExecutable(true, false);
            Files.createSymbolicLink(w.path().resolve("cache/link"), Path.of("nowhere"));
            var files = inside.files();
            worktrees.remove(w, kept, SampleRepository.NOW);
            assertThat(kept.resolve(w.run().text()).resolve("files/cache/deep/y"))
                    .hasContent("y");

            worktrees.restore(w, w.path(), kept, SampleRepository.newest());

            assertThat(inside.files()).isEqualTo(files);
            assertThat(kept.resolve(w.run().text())).doesNotExist();
        } finally {
            SafeMove.delete(kept);
        }
    }

    @Test
    void an_old_worktree_is_removed_and_restored() throws IOException {
        inside.write("new.txt", "new\n");
        var pointer =
                WorktreeGitDir.of(w.path(), w.common()).orElseThrow().dir().resolve("gitdir");
        Files.setLastModifiedTime(pointer, FileTime.from(SampleRepository.NOW.minusSeconds(1_000_000)));

        removeAndRestore();
    }

    @Test
    void a_removal_interrupted_before_it_deletes_files_is_undone() throws IOException {
        inside.write("ignored.log", "log").write(".gitignore", "*.log\n");
        var files = inside.files();
        Files.createDirectories(sampleRepository.kept.resolve(w.run().text()).resolve("files"));
        Files.move(
                w.path().resolve("ignored.log"),
                sampleRepository.kept.resolve(w.run().text()).resolve("files/ignored.log"),
                StandardCopyOption.ATOMIC_MOVE);
        Files.move(w.path(), WorktreeRemover.aside(w), StandardCopyOption.ATOMIC_MOVE);

        assertThat(worktrees.ensure(w, sampleRepository.kept).how()).isEqualTo(EnsureResult.EnsureAction.AS_IT_WAS);

        assertThat(inside.files()).isEqualTo(files);
    }

    @Test
    void a_removal_interrupted_while_it_deletes_files_is_undone_from_the_checkpoint() throws IOException {
        inside.write("a.txt", "dirty\n");
        var files = inside.files();
        var c = worktrees.checkpoint(w, "test", SampleRepository.NOW);
        Files.move(w.path(), WorktreeRemover.aside(w), StandardCopyOption.ATOMIC_MOVE);
        Files.delete(WorktreeRemover.aside(w).resolve(".git"));
        Files.delete(WorktreeRemover.aside(w).resolve("tool.sh"));

        assertThat(worktrees.ensure(w, sampleRepository.kept).ref()).contains(c.ref());

        assertThat(inside.files()).isEqualTo(files);
        assertThat(WorktreeRemover.aside(w)).doesNotExist();
    }

    @Test
    void removing_a_worktree_twice_returns_the_same_checkpoint() {
        inside.write("new.txt", "new\n");
        var first = remove();
        var second = remove();

        assertThat(second.checkpoint().orElseThrow().commit())
                .isEqualTo(first.checkpoint().orElseThrow().commit());
    }
}
