package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.roost.run.Refused;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** A run gets its own worktree, in every kind of repository. */
class MakingTest extends InARepository {

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
}
