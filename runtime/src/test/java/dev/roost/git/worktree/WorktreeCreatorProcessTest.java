package dev.roost.git.worktree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.roost.base.Refusal;
import dev.roost.git.RepositoryOrigin;
import dev.roost.git.SampleRepository;
import dev.roost.git.Worktree;
import dev.roost.git.worktree.testing.RepositoryFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** A run gets its own worktree in every kind of repository. */
class WorktreeCreatorProcessTest extends RepositoryFixture {

    @Test
    void a_new_worktree_is_locked_and_on_its_own_branch_at_the_base() {
        var w = sampleRepository.plan();

        assertThat(ensure(w).how()).isEqualTo(EnsureResult.EnsureAction.FRESH);
        assertGood(w);
        assertThat(sampleRepository
                        .tryGit("config", "--get-regexp", "^branch\\.roost")
                        .out())
                .isEmpty();
        assertThat(ensure(w).how()).isEqualTo(EnsureResult.EnsureAction.AS_IT_WAS);
    }

    @Test
    void the_users_hooks_do_not_run() {
        sampleRepository.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch \"$HOME/hook-ran\"\n");
        sampleRepository.top.resolve(".git/hooks/post-checkout").toFile().setExecutable(true);

        ensure(sampleRepository.plan());

        assertThat(sampleRepository.room.resolve("hook-ran")).doesNotExist();
    }

    @Test
    void fifty_worktrees_can_be_created_at_once() throws Exception {
        var plans = new ArrayList<Worktree>();
        for (int i = 0; i < 50; i++) plans.add(sampleRepository.plan());
        var jobs = new ArrayList<Callable<EnsureResult>>();
        for (var w : plans) jobs.add(() -> sampleRepository.worktrees().ensure(w, sampleRepository.kept));

        try (var threads = Executors.newFixedThreadPool(50)) {
            for (var made : threads.invokeAll(jobs))
                assertThat(made.get().how()).isEqualTo(EnsureResult.EnsureAction.FRESH);
        }

        assertThat(plans).allMatch(worktrees::isIntact);
        assertThat(sampleRepository.git("worktree", "list").lines()).hasSize(51);
    }

    @Test
    void a_subdirectory_a_linked_worktree_and_a_detached_head_are_valid_origins() throws IOException {
        var below = sampleRepository.at(sampleRepository.top.resolve("src")).origin();
        assertThat(below.inside()).isEqualTo(Path.of("src"));
        assertThat(below.top()).isEqualTo(sampleRepository.top);
        assertThat(below.branch()).contains("main");

        sampleRepository.git("worktree", "add", "-q", "-b", "side", "../linked");
        var linked = sampleRepository.at(sampleRepository.room.resolve("linked"));
        linked.write("a.txt", "side\n").commit("side");
        assertThat(linked.origin().common()).isEqualTo(sampleRepository.top.resolve(".git"));
        assertThat(linked.origin().branch()).contains("side");
        var w = linked.plan();
        ensure(w);
        assertThat(sampleRepository.at(w.path()).read("a.txt")).isEqualTo("side\n");

        sampleRepository.git("checkout", "-q", "--detach");
        assertThat(sampleRepository.origin().branch()).isEmpty();
        var detached = sampleRepository.plan();
        ensure(detached);
        assertGood(detached);
    }

    @Test
    void a_nested_repository_gets_its_own_worktree_and_branch() {
        sampleRepository.git("init", "-q", "inner");
        var inner = sampleRepository.at(sampleRepository.top.resolve("inner"));
        inner.write("i.txt", "inner\n").commit("inner");
        var w = inner.plan();

        ensure(w);

        assertThat(sampleRepository.at(w.path()).read("i.txt")).isEqualTo("inner\n");
        assertThat(sampleRepository.git("branch", "--list", "roost/*")).isEmpty();
    }

    @Test
    void a_bare_repository_is_refused_and_a_worktree_of_it_is_a_valid_origin() {
        sampleRepository.git("clone", "-q", "--bare", ".", "../bare.git");
        var bare = sampleRepository.at(sampleRepository.room.resolve("bare.git"));
        assertRefused("no_checkout", bare.top);
        bare.git("worktree", "add", "-q", "../checkout", "main");
        var w = sampleRepository.at(sampleRepository.room.resolve("checkout")).plan();

        ensure(w);

        assertThat(worktrees.isIntact(w)).isTrue();
        assertThat(sampleRepository.at(w.path()).read("a.txt")).isEqualTo("one\n");
    }

    @Test
    void submodules_stay_unpopulated() {
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
        var w = sampleRepository.plan();

        ensure(w);

        assertThat(w.path().resolve("lib")).isEmptyDirectory();
        assertThat(sampleRepository.at(w.path()).status()).isEmpty();
        var c = worktrees.checkpoint(w, "test", SampleRepository.NOW);
        assertThat(sampleRepository.git("ls-tree", c.ref(), "lib")).startsWith("160000 commit");
    }

    @Test
    void a_sparse_checkout_stays_sparse_and_its_checkpoint_has_all_files() {
        sampleRepository.write("far/away.txt", "far\n").commit("far");
        sampleRepository.git("sparse-checkout", "set", "src");
        var w = sampleRepository.plan();

        ensure(w);

        var inside = sampleRepository.at(w.path());
        assertThat(inside.files()).isEqualTo(sampleRepository.files()).doesNotContainKey("far/away.txt");
        inside.write("src/b.txt", "changed\n").write("src/new.txt", "new\n");
        var c = worktrees.checkpoint(w, "test", SampleRepository.NOW);
        assertThat(sampleRepository.git("show", c.ref() + ":far/away.txt")).isEqualTo("far");
        var before = inside.files();
        var status = inside.status();
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        ensure(w);
        assertThat(inside.files()).isEqualTo(before);
        assertThat(inside.status()).isEqualTo(status);
    }

    @Test
    void each_kind_of_invalid_origin_is_refused_with_its_own_code() throws Exception {
        assertRefused("not_a_repository", sampleRepository.room);
        assertRefused("not_a_repository", sampleRepository.room.resolve("missing"));
        assertRefused("no_checkout", sampleRepository.top.resolve(".git"));
        sampleRepository.git("init", "-q", "../empty");
        assertRefused("no_commits", sampleRepository.room.resolve("empty"));
        assertThatThrownBy(() -> RepositoryOrigin.of(sampleRepository.top, Map.of("PATH", "/nonexistent")))
                .isInstanceOfSatisfying(Refusal.class, e -> assertThat(e.code()).isEqualTo("no_git"));
    }

    @Test
    void a_repository_of_another_user_is_refused() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give files away");
        assertThat(new ProcessBuilder("chown", "-R", "12345", sampleRepository.top.toString())
                        .start()
                        .waitFor())
                .isZero();

        assertRefused("not_your_repository", sampleRepository.top);
    }

    @Test
    void a_submodule_is_a_valid_origin() {
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
        var w = sampleRepository.at(sampleRepository.top.resolve("lib")).plan();

        ensure(w);

        var inside = sampleRepository.at(w.path());
        assertThat(inside.read("lib.txt")).isEqualTo("lib\n");
        inside.write("lib.txt", "changed\n");
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        ensure(w);
        assertThat(inside.status()).isEqualTo(" M lib.txt\0");
        assertThat(sampleRepository.at(sampleRepository.top.resolve("lib")).status())
                .isEmpty();
    }

    private void assertRefused(String code, Path place) {
        assertThatThrownBy(() -> sampleRepository.at(place).origin()).isInstanceOfSatisfying(Refusal.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.hint()).isNotBlank();
        });
    }
}
