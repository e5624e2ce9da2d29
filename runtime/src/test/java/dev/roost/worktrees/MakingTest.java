package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.roost.run.Refused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run gets its own worktree, in every kind of repository and after every kind of crash. */
class MakingTest {

    @TempDir
    Path room;

    Repo repo;
    Worktrees worktrees;

    @BeforeEach
    void make() {
        repo = Repo.in(room);
        worktrees = repo.worktrees();
    }

    private Made ensure(Worktree w) {
        return worktrees.ensure(w, repo.kept);
    }

    private void assertGood(Worktree w) {
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
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void it_is_on_its_own_branch_at_the_base_and_locked() {
        var w = repo.plan();

        assertThat(ensure(w).how()).isEqualTo(Made.How.FRESH);
        assertGood(w);
        assertThat(repo.tryGit("config", "--get-regexp", "^branch\\.roost").out())
                .isEmpty();
        assertThat(ensure(w).how()).isEqualTo(Made.How.AS_IT_WAS);
    }

    @Test
    void the_users_hooks_do_not_run() {
        repo.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch \"$HOME/hook-ran\"\n");
        repo.top.resolve(".git/hooks/post-checkout").toFile().setExecutable(true);

        ensure(repo.plan());

        assertThat(repo.room.resolve("hook-ran")).doesNotExist();
    }

    @Test
    void fifty_at_once_all_get_theirs() throws Exception {
        var plans = new ArrayList<Worktree>();
        for (int i = 0; i < 50; i++) plans.add(repo.plan());
        var jobs = new ArrayList<Callable<Made>>();
        for (var w : plans) jobs.add(() -> repo.worktrees().ensure(w, repo.kept));

        try (var threads = Executors.newFixedThreadPool(50)) {
            for (var made : threads.invokeAll(jobs))
                assertThat(made.get().how()).isEqualTo(Made.How.FRESH);
        }

        assertThat(plans).allMatch(worktrees::isIntact);
        assertThat(repo.git("worktree", "list").lines()).hasSize(51);
    }

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

    @Test
    void a_subdirectory_a_linked_worktree_and_a_detached_head_are_origins_too() throws IOException {
        var below = repo.at(repo.top.resolve("src")).origin();
        assertThat(below.inside()).isEqualTo(Path.of("src"));
        assertThat(below.top()).isEqualTo(repo.top);
        assertThat(below.branch()).contains("main");

        repo.git("worktree", "add", "-q", "-b", "side", "../linked");
        var linked = repo.at(repo.room.resolve("linked"));
        linked.write("a.txt", "side\n").commit("side");
        assertThat(linked.origin().common()).isEqualTo(repo.top.resolve(".git"));
        assertThat(linked.origin().branch()).contains("side");
        var w = linked.plan();
        ensure(w);
        assertThat(repo.at(w.path()).read("a.txt")).isEqualTo("side\n");

        repo.git("checkout", "-q", "--detach");
        assertThat(repo.origin().branch()).isEmpty();
        var detached = repo.plan();
        ensure(detached);
        assertGood(detached);
    }

    @Test
    void a_repository_inside_of_a_repository_is_its_own() {
        repo.git("init", "-q", "inner");
        var inner = repo.at(repo.top.resolve("inner"));
        inner.write("i.txt", "inner\n").commit("inner");
        var w = inner.plan();

        ensure(w);

        assertThat(repo.at(w.path()).read("i.txt")).isEqualTo("inner\n");
        assertThat(repo.git("branch", "--list", "roost/*")).isEmpty();
    }

    @Test
    void a_bare_repository_with_worktrees_is_an_origin_from_one_of_them() {
        repo.git("clone", "-q", "--bare", ".", "../bare.git");
        var bare = repo.at(repo.room.resolve("bare.git"));
        assertRefused("no_checkout", bare.top);
        bare.git("worktree", "add", "-q", "../checkout", "main");
        var w = repo.at(repo.room.resolve("checkout")).plan();

        ensure(w);

        assertThat(worktrees.isIntact(w)).isTrue();
        assertThat(repo.at(w.path()).read("a.txt")).isEqualTo("one\n");
    }

    @Test
    void submodules_are_there_unpopulated_as_git_has_them() {
        repo.git("init", "-q", "../lib");
        repo.at(repo.room.resolve("lib")).write("lib.txt", "lib\n").commit("lib");
        repo.git("submodule", "--quiet", "add", repo.room.resolve("lib").toString(), "lib");
        repo.commit("with lib");
        var w = repo.plan();

        ensure(w);

        assertThat(w.path().resolve("lib")).isEmptyDirectory();
        assertThat(repo.at(w.path()).status()).isEmpty();
        var c = worktrees.checkpoint(w, "test", Repo.NOW);
        assertThat(repo.git("ls-tree", c.ref(), "lib")).startsWith("160000 commit");
    }

    @Test
    void a_sparse_checkout_stays_sparse_and_loses_nothing() {
        repo.write("far/away.txt", "far\n").commit("far");
        repo.git("sparse-checkout", "set", "src");
        var w = repo.plan();

        ensure(w);

        var inside = repo.at(w.path());
        assertThat(inside.files()).isEqualTo(repo.files()).doesNotContainKey("far/away.txt");
        inside.write("src/b.txt", "changed\n").write("src/new.txt", "new\n");
        var c = worktrees.checkpoint(w, "test", Repo.NOW);
        assertThat(repo.git("show", c.ref() + ":far/away.txt")).isEqualTo("far");
        var before = inside.files();
        var status = inside.status();
        worktrees.remove(w, repo.kept, Repo.NOW);
        ensure(w);
        assertThat(inside.files()).isEqualTo(before);
        assertThat(inside.status()).isEqualTo(status);
    }

    @Test
    void what_is_no_origin_is_refused_with_its_own_code() throws Exception {
        assertRefused("not_a_repository", repo.room);
        assertRefused("not_a_repository", repo.room.resolve("missing"));
        assertRefused("no_checkout", repo.top.resolve(".git"));
        repo.git("init", "-q", "../empty");
        assertRefused("no_commits", repo.room.resolve("empty"));
        assertThatThrownBy(() -> Origin.of(repo.top, Map.of("PATH", "/nonexistent")))
                .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.code()).isEqualTo("no_git"));
    }

    @Test
    void somebody_elses_repository_is_no_origin() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give files away");
        assertThat(new ProcessBuilder("chown", "-R", "12345", repo.top.toString())
                        .start()
                        .waitFor())
                .isZero();

        assertRefused("not_your_repository", repo.top);
    }

    @Test
    void a_submodule_is_an_origin_of_its_own() {
        repo.git("init", "-q", "../lib");
        repo.at(repo.room.resolve("lib")).write("lib.txt", "lib\n").commit("lib");
        repo.git("submodule", "--quiet", "add", repo.room.resolve("lib").toString(), "lib");
        var w = repo.at(repo.top.resolve("lib")).plan();

        ensure(w);

        var inside = repo.at(w.path());
        assertThat(inside.read("lib.txt")).isEqualTo("lib\n");
        inside.write("lib.txt", "changed\n");
        worktrees.remove(w, repo.kept, Repo.NOW);
        ensure(w);
        assertThat(inside.status()).isEqualTo(" M lib.txt\0");
        assertThat(repo.at(repo.top.resolve("lib")).status()).isEmpty();
    }

    private void assertRefused(String code, Path place) {
        assertThatThrownBy(() -> repo.at(place).origin()).isInstanceOfSatisfying(Refused.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.hint()).isNotBlank();
        });
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
