package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** After every kind of crash a run has its worktree again, with all that was in it. */
class MakingAgainTest extends InARepository {

    @Test
    void what_git_had_begun_when_it_was_killed_does_not_stay() throws IOException {
        var w = repo.plan();
        var admins = repo.top.resolve(".git/worktrees");
        for (var run : List.of(w.run().text(), "r_another00000")) {
            Files.createDirectories(admins.resolve(run));
            Files.writeString(admins.resolve(run).resolve("locked"), "roost %s\n".formatted(run));
        }

        ensure(w);

        assertGood(w);
        try (var all = Files.list(admins)) {
            assertThat(all.map(one -> one.getFileName().toString()))
                    .as("another's may just be beginning")
                    .containsExactlyInAnyOrder(w.run().text(), "r_another00000");
        }
    }

    // ---- half-made states, each as a crash would leave it

    @Test
    void of_what_git_had_begun_more_than_once_nothing_is_left() throws IOException {
        var w = repo.plan();
        var growing = w.path()
                .resolveSibling(".roost-making-" + w.path().getFileName())
                .resolve(w.path().getFileName());
        for (int i = 0; i < 3; i++) {
            repo.git("worktree", "add", "--force", "--force", "--lock", "--detach", growing.toString());
            Moving.delete(growing); // git was killed, and its files removed
        }
        ensure(w);
        assertGood(w);
        assertThat(repo.top.resolve(".git/worktrees").toFile().list()).hasSize(1);
    }

    @Test
    void who_is_to_end_begins_nothing_anew() {
        var w = repo.plan();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> ensure(w)).isInstanceOf(Exception.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(ensure(w).how()).isEqualTo(Made.How.FRESH);
        assertGood(w);
        assertThat(repo.top.resolve(".git/worktrees").toFile().list()).hasSize(1);
    }

    @Test
    void a_branch_without_a_worktree_is_used_again() {
        var w = repo.plan();
        repo.git("branch", w.branch(), w.base());

        ensure(w);

        assertGood(w);
    }

    @Test
    void git_s_files_without_the_directory() throws IOException {
        var w = repo.make();
        Moving.delete(w.path());

        assertThat(worktrees.isIntact(w)).isFalse();
        ensure(w);

        assertGood(w);
        assertThat(repo.git("worktree", "list").lines()).hasSize(2);
    }

    @Test
    void the_directory_without_git_s_files_keeps_its_content() throws IOException {
        var w = repo.make();
        var inside = repo.at(w.path());
        inside.write("a.txt", "changed\n").write("new.txt", "new\n");
        inside.commit("own");
        inside.write("later.txt", "later\n");
        Moving.delete(Admin.of(w.path(), w.common()).orElseThrow().dir());

        assertThat(ensure(w).how()).isEqualTo(Made.How.AS_IT_WAS);

        assertThat(worktrees.isIntact(w)).isTrue();
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
        assertThat(inside.status()).isEqualTo("?? later.txt\0");
        assertThat(repo.git("worktree", "list", "--porcelain")).contains("locked roost " + w.run());
    }

    @Test
    void a_directory_whose_pointer_is_gone_is_attached_again() throws IOException {
        var w = repo.make();
        repo.at(w.path()).write("later.txt", "later\n");
        Files.delete(w.path().resolve(".git"));

        assertThat(ensure(w).how()).isEqualTo(Made.How.AS_IT_WAS);

        assertThat(repo.at(w.path()).status()).isEqualTo("?? later.txt\0");
    }

    @Test
    void a_missing_lock_is_put_back() {
        var w = repo.make();
        repo.git("worktree", "unlock", w.path().toString());

        ensure(w);

        assertGood(w);
    }

    @Test
    void one_that_was_growing_when_the_daemon_died_is_made_again() throws IOException {
        var w = repo.plan();
        var growing = new Making(new Git(repo.top, Repo.environment(repo.room)), w, w.path()).growing();
        repo.git("worktree", "add", "-q", "--lock", "-b", w.branch(), growing.toString(), w.base());
        Files.delete(growing.resolve("a.txt"));

        ensure(w);

        assertGood(w);
        assertThat(repo.git("worktree", "list").lines()).hasSize(2);
    }

    @Test
    void one_that_had_moved_into_place_when_the_daemon_died_is_good() throws IOException {
        var w = repo.make();
        var growing = new Making(new Git(repo.top, Repo.environment(repo.room)), w, w.path()).growing();
        Admin.of(w.path(), w.common()).orElseThrow().pointTo(growing);
        assertThat(worktrees.isIntact(w)).isFalse();

        assertThat(ensure(w).how()).isEqualTo(Made.How.AS_IT_WAS);

        assertGood(w);
    }

    @Test
    void an_empty_directory_in_its_place_is_filled() throws IOException {
        var w = repo.plan();
        Files.createDirectories(w.path());

        ensure(w);

        assertGood(w);
    }

    @Test
    void somebody_elses_repository_in_its_place_steps_aside_whole() throws IOException {
        var w = repo.plan();
        Files.createDirectories(w.path());
        repo.at(w.path()).git("init", "-q");
        repo.at(w.path()).write("precious", "precious");

        var made = ensure(w);

        assertGood(w);
        assertThat(made.displaced()).isPresent();
        assertThat(made.displaced().orElseThrow().resolve("precious")).hasContent("precious");
    }

    @Test
    void a_lost_one_comes_back_from_its_last_checkpoint() throws IOException {
        var w = repo.make();
        var inside = repo.at(w.path());
        inside.write("a.txt", "changed\n").write("new.txt", "new\n");
        var before = inside.files();
        var c = worktrees.checkpoint(w, "test", Repo.NOW);
        Moving.delete(w.path());
        repo.git("worktree", "unlock", w.path().toString());
        repo.git("worktree", "prune");

        var made = ensure(w);

        assertThat(made).isEqualTo(new Made(Made.How.FROM_RESCUE, Optional.of(c.ref()), Optional.empty()));
        assertThat(inside.files()).isEqualTo(before);
        assertThat(inside.status()).isEqualTo(" M a.txt\0?? new.txt\0");
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
    }

    @Test
    void commits_after_the_last_checkpoint_are_not_forgotten() throws IOException {
        for (boolean pruned : List.of(true, false)) {
            var w = repo.make();
            var inside = repo.at(w.path());
            inside.write("new.txt", "new\n");
            worktrees.checkpoint(w, "test", Repo.NOW);
            var later = inside.write("later.txt", "later\n").commit("later");
            Moving.delete(w.path());
            if (pruned) {
                repo.git("worktree", "unlock", w.path().toString());
                repo.git("worktree", "prune");
            }

            ensure(w);

            assertThat(inside.git("rev-parse", "HEAD")).isEqualTo(later);
            assertThat(inside.read("later.txt")).isEqualTo("later\n");
            assertThat(inside.status()).isEmpty();
        }
    }

    @Test
    void a_branch_that_the_user_looks_at_is_left_to_him() throws IOException {
        var w = repo.make();
        Moving.delete(w.path());
        repo.git("worktree", "unlock", w.path().toString());
        repo.git("worktree", "prune");
        repo.git("checkout", "-q", w.branch());

        ensure(w);

        assertThat(repo.at(w.path()).git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo("HEAD");
        assertThat(repo.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
    }
}
