package dev.roost.git.worktree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.git.Git;
import dev.roost.git.SafeMove;
import dev.roost.git.SampleRepository;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.worktree.testing.RepositoryFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** After a crash at any point a run gets its worktree back, with all its files. */
class WorktreeRestorerProcessTest extends RepositoryFixture {

    @Test
    void an_incomplete_git_directory_is_deleted_for_this_run_only() throws IOException {
        var w = sampleRepository.plan();
        var admins = sampleRepository.top.resolve(".git/worktrees");
        for (var run : List.of(w.run().text(), "r_another00000")) {
            Files.createDirectories(admins.resolve(run));
            Files.writeString(admins.resolve(run).resolve("locked"), "roost %s\n".formatted(run));
        }

        ensure(w);

        assertGood(w);
        try (var all = Files.list(admins)) {
            assertThat(all.map(one -> one.getFileName().toString()))
                    .as("the other run may just be creating its worktree")
                    .containsExactlyInAnyOrder(w.run().text(), "r_another00000");
        }
    }

    // ---- incomplete states, each as a crash leaves it

    @Test
    void repeated_interrupted_creations_leave_no_git_directory_behind() throws IOException {
        var w = sampleRepository.plan();
        var temporary = w.path()
                .resolveSibling(".roost-making-" + w.path().getFileName())
                .resolve(w.path().getFileName());
        for (int i = 0; i < 3; i++) {
            sampleRepository.git("worktree", "add", "--force", "--force", "--lock", "--detach", temporary.toString());
            SafeMove.delete(temporary); // git was killed, and its files removed
        }
        ensure(w);
        assertGood(w);
        assertThat(sampleRepository.top.resolve(".git/worktrees").toFile().list())
                .hasSize(1);
    }

    @Test
    void an_interrupted_thread_creates_no_worktree() {
        var w = sampleRepository.plan();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> ensure(w)).isInstanceOf(Exception.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(ensure(w).how()).isEqualTo(EnsureResult.EnsureAction.FRESH);
        assertGood(w);
        assertThat(sampleRepository.top.resolve(".git/worktrees").toFile().list())
                .hasSize(1);
    }

    @Test
    void an_existing_branch_without_a_worktree_is_reused() {
        var w = sampleRepository.plan();
        sampleRepository.git("branch", w.branch(), w.base());

        ensure(w);

        assertGood(w);
    }

    @Test
    void a_deleted_worktree_directory_is_created_again() throws IOException {
        var w = sampleRepository.make();
        SafeMove.delete(w.path());

        assertThat(worktrees.isIntact(w)).isFalse();
        ensure(w);

        assertGood(w);
        assertThat(sampleRepository.git("worktree", "list").lines()).hasSize(2);
    }

    @Test
    void a_worktree_without_its_git_directory_keeps_its_files() throws IOException {
        var w = sampleRepository.make();
        var inside = sampleRepository.at(w.path());
        inside.write("a.txt", "changed\n").write("new.txt", "new\n");
        inside.commit("own");
        inside.write("later.txt", "later\n");
        SafeMove.delete(WorktreeGitDir.of(w.path(), w.common()).orElseThrow().dir());

        assertThat(ensure(w).how()).isEqualTo(EnsureResult.EnsureAction.AS_IT_WAS);

        assertThat(worktrees.isIntact(w)).isTrue();
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
        assertThat(inside.status()).isEqualTo("?? later.txt\0");
        assertThat(sampleRepository.git("worktree", "list", "--porcelain")).contains("locked roost " + w.run());
    }

    @Test
    void a_worktree_without_its_git_file_is_attached_again() throws IOException {
        var w = sampleRepository.make();
        sampleRepository.at(w.path()).write("later.txt", "later\n");
        Files.delete(w.path().resolve(".git"));

        assertThat(ensure(w).how()).isEqualTo(EnsureResult.EnsureAction.AS_IT_WAS);

        assertThat(sampleRepository.at(w.path()).status()).isEqualTo("?? later.txt\0");
    }

    @Test
    void a_missing_worktree_lock_is_set_again() {
        var w = sampleRepository.make();
        sampleRepository.git("worktree", "unlock", w.path().toString());

        ensure(w);

        assertGood(w);
    }

    @Test
    void a_worktree_whose_creation_was_interrupted_is_created_again() throws IOException {
        var w = sampleRepository.plan();
        var temporary = new WorktreeCreator(
                        new Git(sampleRepository.top, SampleRepository.environment(sampleRepository.room)), w, w.path())
                .temporaryPath();
        sampleRepository.git("worktree", "add", "-q", "--lock", "-b", w.branch(), temporary.toString(), w.base());
        Files.delete(temporary.resolve("a.txt"));

        ensure(w);

        assertGood(w);
        assertThat(sampleRepository.git("worktree", "list").lines()).hasSize(2);
    }

    @Test
    void a_worktree_moved_into_place_just_before_a_crash_is_reused() throws IOException {
        var w = sampleRepository.make();
        var temporary = new WorktreeCreator(
                        new Git(sampleRepository.top, SampleRepository.environment(sampleRepository.room)), w, w.path())
                .temporaryPath();
        WorktreeGitDir.of(w.path(), w.common()).orElseThrow().pointTo(temporary);
        assertThat(worktrees.isIntact(w)).isFalse();

        assertThat(ensure(w).how()).isEqualTo(EnsureResult.EnsureAction.AS_IT_WAS);

        assertGood(w);
    }

    @Test
    void an_empty_directory_at_the_worktree_path_is_used() throws IOException {
        var w = sampleRepository.plan();
        Files.createDirectories(w.path());

        ensure(w);

        assertGood(w);
    }

    @Test
    void a_foreign_repository_at_the_worktree_path_is_moved_aside_unchanged() throws IOException {
        var w = sampleRepository.plan();
        Files.createDirectories(w.path());
        sampleRepository.at(w.path()).git("init", "-q");
        sampleRepository.at(w.path()).write("precious", "precious");

        var ensureResult = ensure(w);

        assertGood(w);
        assertThat(ensureResult.displaced()).isPresent();
        assertThat(ensureResult.displaced().orElseThrow().resolve("precious")).hasContent("precious");
    }

    @Test
    void a_lost_worktree_is_restored_from_its_last_checkpoint() throws IOException {
        var w = sampleRepository.make();
        var inside = sampleRepository.at(w.path());
        inside.write("a.txt", "changed\n").write("new.txt", "new\n");
        var before = inside.files();
        var c = worktrees.checkpoint(w, "test", SampleRepository.NOW);
        SafeMove.delete(w.path());
        sampleRepository.git("worktree", "unlock", w.path().toString());
        sampleRepository.git("worktree", "prune");

        var ensureResult = ensure(w);

        assertThat(ensureResult)
                .isEqualTo(new EnsureResult(
                        EnsureResult.EnsureAction.FROM_RESCUE, Optional.of(c.ref()), Optional.empty()));
        assertThat(inside.files()).isEqualTo(before);
        assertThat(inside.status()).isEqualTo(" M a.txt\0?? new.txt\0");
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
    }

    @Test
    void commits_after_the_last_checkpoint_are_restored() throws IOException {
        for (boolean pruned : List.of(true, false)) {
            var w = sampleRepository.make();
            var inside = sampleRepository.at(w.path());
            inside.write("new.txt", "new\n");
            worktrees.checkpoint(w, "test", SampleRepository.NOW);
            var later = inside.write("later.txt", "later\n").commit("later");
            SafeMove.delete(w.path());
            if (pruned) {
                sampleRepository.git("worktree", "unlock", w.path().toString());
                sampleRepository.git("worktree", "prune");
            }

            ensure(w);

            assertThat(inside.git("rev-parse", "HEAD")).isEqualTo(later);
            assertThat(inside.read("later.txt")).isEqualTo("later\n");
            assertThat(inside.status()).isEmpty();
        }
    }

    @Test
    void a_branch_that_the_user_has_checked_out_is_left_alone() throws IOException {
        var w = sampleRepository.make();
        SafeMove.delete(w.path());
        sampleRepository.git("worktree", "unlock", w.path().toString());
        sampleRepository.git("worktree", "prune");
        sampleRepository.git("checkout", "-q", w.branch());

        ensure(w);

        assertThat(sampleRepository.at(w.path()).git("rev-parse", "--abbrev-ref", "HEAD"))
                .isEqualTo("HEAD");
        assertThat(sampleRepository.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
    }
}
