package dev.roost.git.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Broken;
import dev.roost.base.Refusal;
import dev.roost.git.GitPath;
import dev.roost.git.SafeMove;
import dev.roost.git.SampleRepository;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.worktree.testing.WorktreeFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A checkpoint holds all files of a worktree and changes nothing in it. */
class CheckpointWriterProcessTest extends WorktreeFixture {

    private Checkpoint checkpoint() {
        return worktrees.checkpoint(w, "test", SampleRepository.NOW);
    }

    @Test
    void a_checkpoint_deletes_the_temporary_index_of_a_killed_daemon() throws IOException {
        var gitDir = WorktreeGitDir.of(w.path(), w.common()).orElseThrow();
        var leftover = Files.writeString(gitDir.dir().resolve(WorktreeGitDir.OWN_INDEX + "0"), "half an index");
        worktrees.checkpoint(w, "test", SampleRepository.NOW);
        assertThat(leftover).doesNotExist();
    }

    /** With {@code -Droost.full=true} more of them. */
    @Test
    void a_checkpoint_made_during_garbage_collection_is_complete_or_fails() throws Exception {
        int checkpoints = Boolean.getBoolean("roost.full") ? 25 : 8;
        var stop = new AtomicBoolean();
        var collector = Thread.ofPlatform().start(() -> {
            while (!stop.get()) sampleRepository.tryGit("prune", "--expire=now");
        });
        for (int i = 0; i < checkpoints; i++) {
            for (int k = 0; k < 40; k++) inside.write("d%d/f%d".formatted(k % 7, k), i + " " + k + "\n");
            try {
                worktrees.checkpoint(w, "test", SampleRepository.NOW);
            } catch (Broken e) {
                assertThat(e.code()).isIn("git_failed", "checkpoint_failed"); // reported, and retried later
            }
        }
        stop.set(true);
        collector.join();
        var last = worktrees.checkpoint(w, "test", SampleRepository.NOW);
        assertThat(sampleRepository.git("show", last.ref() + ":d0/f0")).isEqualTo((checkpoints - 1) + " 0");
        var walk = sampleRepository.tryGit("rev-list", "--objects", "--quiet", "--all");
        assertThat(walk.ok()).as(walk.err()).isTrue();
    }

    @Test
    void a_checkpoint_records_changed_deleted_and_untracked_files() throws IOException {
        inside.write("a.txt", "changed\n").write("new/file.txt", "new\n");
        Files.delete(w.path().resolve("src/b.txt"));

        var c = checkpoint();

        assertThat(c.n()).isEqualTo(1);
        assertThat(c.ref()).isEqualTo("refs/roost/" + w.run() + "/1");
        assertThat(c.isNew()).isTrue();
        assertThat(sampleRepository.git("show", c.ref() + ":a.txt")).isEqualTo("changed");
        assertThat(sampleRepository.git("show", c.ref() + ":new/file.txt")).isEqualTo("new");
        assertThat(sampleRepository
                        .tryGit("cat-file", "-e", c.ref() + ":src/b.txt")
                        .ok())
                .isFalse();
        assertThat(sampleRepository.git("log", "-1", "--format=%an %ae %aI %s", c.ref()))
                .isEqualTo("roost roost@localhost 2026-11-15T12:00:00+00:00 roost checkpoint " + w.run() + " 1: test");
    }

    @Test
    void a_checkpoint_does_not_change_the_branch_the_index_the_files_or_the_reflogs() throws IOException {
        inside.write("a.txt", "staged\n");
        inside.git("add", "a.txt");
        inside.write("a.txt", "and changed again\n").write("new.txt", "new\n");
        var admin = WorktreeGitDir.of(w.path(), w.common()).orElseThrow().dir();
        var before = sampleRepository.at(admin).files();
        var filesBefore = inside.files();
        var branch = sampleRepository.git("rev-parse", w.branch());

        checkpoint();

        assertThat(sampleRepository.at(admin).files()).isEqualTo(before);
        assertThat(inside.files()).isEqualTo(filesBefore);
        assertThat(sampleRepository.git("rev-parse", w.branch())).isEqualTo(branch);
    }

    @Test
    void an_unchanged_worktree_gets_no_new_checkpoint() {
        inside.write("a.txt", "changed\n");
        var first = checkpoint();
        var second = checkpoint();

        assertThat(second.isNew()).isFalse();
        assertThat(second.commit()).isEqualTo(first.commit());
        assertThat(worktrees.latest(w))
                .hasValueSatisfying(last -> assertThat(last.commit()).isEqualTo(first.commit()));

        inside.git("add", "a.txt");
        assertThat(checkpoint().isNew()).as("the index changed").isTrue();
        inside.git("checkout", "-q", "--detach");
        assertThat(checkpoint().isNew()).as("the branch changed").isTrue();
    }

    @Test
    void an_index_lock_of_an_agent_does_not_block_a_checkpoint() throws IOException {
        inside.write("a.txt", "changed\n");
        var admin = WorktreeGitDir.of(w.path(), w.common()).orElseThrow().dir();
        Files.createFile(admin.resolve("index.lock"));

        assertThat(checkpoint().isNew()).isTrue();
        assertThat(admin.resolve("index.lock")).exists();
    }

    @Test
    void a_checkpoint_waits_for_a_locked_ref() throws Exception {
        inside.write("a.txt", "changed\n");
        var lock = Files.createDirectories(w.common().resolve(w.refs())).resolve("1.lock");
        Files.createFile(lock);
        var started = new CountDownLatch(1);
        var holder = Thread.ofVirtual().start(() -> {
            started.countDown();
            LockSupport.parkNanos(300_000_000);
            lock.toFile().delete();
        });
        started.await();

        assertThat(checkpoint().isNew()).isTrue();
        holder.join();
    }

    @Test
    void a_checkpoint_names_the_files_that_it_leaves_out() throws Exception {
        sampleRepository.write(".gitignore", "*.log\nnode_modules/\n");
        sampleRepository.commit("ignore");
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
        worktrees = sampleRepository.worktrees(new CheckpointLimits(1000, false));
        inside.write("debug.log", "log").write("node_modules/x/y.js", "js").write("big.bin", new byte[2000]);
        inside.write("a.txt", new byte[1001]);
        Files.delete(w.path().resolve("tool.sh"));
        assertThat(new ProcessBuilder("mkfifo", w.path().resolve("tool.sh").toString())
                        .start()
                        .waitFor())
                .isZero();
        inside.git("init", "-q", "clone");
        sampleRepository.at(w.path().resolve("clone")).write("x", "x").commit("x");

        var c = checkpoint();

        assertThat(c.omitted())
                .containsExactlyInAnyOrder(
                        new OmittedFile(new GitPath("debug.log"), OmittedFile.OmissionReason.IGNORED, 3),
                        new OmittedFile(new GitPath("node_modules"), OmittedFile.OmissionReason.IGNORED, 2),
                        new OmittedFile(new GitPath("big.bin"), OmittedFile.OmissionReason.TOO_BIG, 2000),
                        new OmittedFile(new GitPath("a.txt"), OmittedFile.OmissionReason.TOO_BIG, 1001),
                        new OmittedFile(new GitPath("tool.sh"), OmittedFile.OmissionReason.SPECIAL, 0),
                        new OmittedFile(new GitPath("clone"), OmittedFile.OmissionReason.REPOSITORY, -1));
        assertThat(worktrees.latest(w).orElseThrow().omitted()).isEqualTo(c.omitted());
        assertThat(sampleRepository.git("show", c.ref() + ":a.txt")).isEqualTo("one");
    }

    @Test
    void ignored_files_are_included_if_configured() {
        inside.write(".gitignore", "*.log\n").write("debug.log", "log\n");
        worktrees = sampleRepository.worktrees(new CheckpointLimits(1000, true));

        assertThat(sampleRepository.git("show", checkpoint().ref() + ":debug.log"))
                .isEqualTo("log");
    }

    @Test
    void files_marked_assume_unchanged_or_skip_worktree_are_included() {
        inside.git("update-index", "--assume-unchanged", "a.txt");
        inside.git("update-index", "--skip-worktree", "src/b.txt");
        inside.write("a.txt", "assumed\n").write("src/b.txt", "skipped\n");

        var c = checkpoint();

        assertThat(sampleRepository.git("show", c.ref() + ":a.txt")).isEqualTo("assumed");
        assertThat(sampleRepository.git("show", c.ref() + ":src/b.txt")).isEqualTo("skipped");
        assertThat(inside.git("ls-files", "-v", "a.txt")).isEqualTo("h a.txt");
    }

    @Test
    void a_file_may_become_a_directory_and_a_directory_a_symlink() throws IOException {
        Files.delete(w.path().resolve("a.txt"));
        inside.write("a.txt/inner", "inner\n");
        sampleRepository.at(w.path().resolve("src")).write("../other/b.txt", "elsewhere\n");
        Files.delete(w.path().resolve("src/b.txt"));
        Files.delete(w.path().resolve("src"));
        Files.createSymbolicLink(w.path().resolve("src"), Path.of("other"));

        var c = checkpoint();

        assertThat(sampleRepository.git("ls-tree", "-r", "--name-only", c.ref()))
                .isEqualTo("a.txt/inner\nother/b.txt\nsrc\ntool.sh");
        assertThat(sampleRepository.git("cat-file", "blob", c.ref() + ":src")).isEqualTo("other");
    }

    @Test
    void commits_that_were_reset_or_amended_away_stay_reachable() {
        inside.write("a.txt", "lost\n");
        var lost = inside.commit("to be reset away");
        inside.git("reset", "-q", "--hard", "HEAD~1");
        inside.write("a.txt", "amended\n");
        var amended = inside.commit("to be amended");
        inside.git("commit", "-q", "--amend", "-m", "amended");
        var c = checkpoint();

        sampleRepository.git("reflog", "expire", "--expire=now", "--all");
        sampleRepository.git("gc", "-q", "--prune=now");

        for (var commit : List.of(lost, amended))
            assertThat(sampleRepository
                            .tryGit("merge-base", "--is-ancestor", commit, c.ref())
                            .ok())
                    .isTrue();
    }

    @Test
    void a_commit_that_was_reset_away_is_kept_even_if_no_file_changed() throws IOException {
        inside.write("x", "x");
        checkpoint();
        Files.delete(w.path().resolve("x"));
        checkpoint();
        inside.write("a.txt", "lost\n");
        var lost = inside.commit("to be reset away");
        inside.git("reset", "-q", "--hard", "HEAD~1");

        var c = checkpoint();

        assertThat(c.isNew()).isTrue();
        assertThat(sampleRepository
                        .tryGit("merge-base", "--is-ancestor", lost, c.ref())
                        .ok())
                .isTrue();
    }

    @Test
    void a_branch_without_commits_gets_a_checkpoint() {
        inside.git("checkout", "-q", "--orphan", "fresh-start");
        inside.write("a.txt", "orphan\n");

        var c = checkpoint();

        assertThat(sampleRepository.git("show", c.ref() + ":a.txt")).isEqualTo("orphan");
        assertThat(sampleRepository.git("log", "-1", "--format=%B", c.ref()))
                .contains("Roost-Head: none", "Roost-Branch: refs/heads/fresh-start");
    }

    @Test
    void an_agent_that_writes_during_a_checkpoint_does_not_corrupt_it() throws Exception {
        var stop = new AtomicBoolean();
        var turns = new CountDownLatch(50);
        var agent = Thread.ofPlatform().start(() -> {
            for (int i = 0; !stop.get(); i++) {
                inside.write("busy/" + i % 20, "x".repeat(i % 5_000));
                w.path().resolve("busy/" + (i + 10) % 20).toFile().delete();
                turns.countDown();
            }
        });
        turns.await();
        inside.write("steady", "steady\n");
        for (int i = 0; i < 5; i++)
            assertThat(sampleRepository.git("show", checkpoint().ref() + ":steady"))
                    .isEqualTo("steady");
        stop.set(true);
        agent.join();
        var c = checkpoint();

        assertThat(sampleRepository
                        .at(worktrees.restore(
                                w, sampleRepository.room.resolve("copy"), sampleRepository.kept, Optional.of(c.n())))
                        .files())
                .isEqualTo(inside.files());
    }

    @Test
    void a_missing_worktree_gets_no_checkpoint() throws IOException {
        SafeMove.delete(w.path());

        assertThatThrownBy(this::checkpoint)
                .isInstanceOfSatisfying(Refusal.class, e -> assertThat(e.code()).isEqualTo("no_worktree"));
    }

    @Test
    void a_push_sends_the_checkpoint_without_the_omitted_files() throws IOException {
        sampleRepository.git("init", "-q", "--bare", "../remote.git");
        sampleRepository.git(
                "remote",
                "add",
                "origin",
                sampleRepository.room.resolve("remote.git").toString());
        worktrees = sampleRepository.worktrees(new CheckpointLimits(10, false));
        inside.write("small", "small").write("big", "much too big");
        var c = checkpoint();

        worktrees.push(w, c, "origin");

        var remote = sampleRepository.at(sampleRepository.room.resolve("remote.git"));
        assertThat(remote.git("for-each-ref", "--format=%(refname)")).isEqualTo(c.ref());
        assertThat(remote.git("ls-tree", "-r", "--name-only", c.ref()))
                .contains("small")
                .doesNotContain("big");
    }

    @Test
    void plain_git_restores_a_checkpoint() throws Exception {
        inside.write("new.txt", "new\n");
        var c = checkpoint();
        var command = worktrees.plainGit(w, c);

        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
        assertThat(sampleRepository.at(w.path().resolveSibling(w.run() + "-1")).read("new.txt"))
                .isEqualTo("new\n");
    }
}
