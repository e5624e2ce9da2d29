package dev.roost.landing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.git.GitOperation;
import dev.roost.git.SampleRepository;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.landing.Landing.LookupScope;
import dev.roost.landing.Landing.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calculator finds out from git how far the work of a run has landed. */
class LandingCalculatorProcessTest {

    @TempDir
    Path room;

    SampleRepository sampleRepository;
    SampleRepository remote;
    GitWorktrees worktrees;
    Worktree w;
    SampleRepository inside;

    @BeforeEach
    void make() {
        sampleRepository = SampleRepository.in(room);
        sampleRepository.git("init", "-q", "--bare", "../remote.git");
        remote = sampleRepository.at(sampleRepository.room.resolve("remote.git"));
        sampleRepository.git("remote", "add", "origin", remote.top.toString());
        sampleRepository.git("push", "-q", "-u", "origin", "main");
        sampleRepository.git("remote", "set-head", "origin", "-a");
        worktrees = sampleRepository.worktrees();
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
    }

    private Landing localLanding() {
        return worktrees.landing(w, LookupScope.LOCAL);
    }

    private Landing remoteLanding() {
        return worktrees.landing(w, LookupScope.REMOTE);
    }

    /** The clone of a colleague, who merges pushed branches. */
    private SampleRepository colleague() {
        sampleRepository.git("clone", "-q", remote.top.toString(), "../colleague");
        return sampleRepository.at(sampleRepository.room.resolve("colleague"));
    }

    private String work() {
        inside.write("a.txt", "own 1\n").commit("own 1");
        return inside.write("src/b.txt", "own 2\n").commit("own 2");
    }

    @Test
    void a_new_worktree_has_landed_nothing_and_a_changed_one_is_uncommitted() {
        assertThat(localLanding().stage()).isEqualTo(Stage.NOTHING);
        assertThat(localLanding().inWords()).isEqualTo("nothing");
        sampleRepository.write("x", "x").commit("another commit of the user");
        assertThat(localLanding().stage()).isEqualTo(Stage.NOTHING);
        assertThat(localLanding().behind()).isEqualTo(1);

        inside.write("a.txt", "dirty\n").write("new", "new");

        assertThat(localLanding().stage()).isEqualTo(Stage.UNCOMMITTED);
        assertThat(localLanding().inWords()).isEqualTo("uncommitted, 2 files");
    }

    @Test
    void a_committed_landing_counts_its_uncommitted_files() {
        work();
        inside.write("a.txt", "dirty\n");

        assertThat(localLanding().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(localLanding().inWords()).isEqualTo("committed, 2 ahead, 1 file uncommitted");
        assertThat(localLanding().head()).isEqualTo(inside.git("rev-parse", "HEAD"));
    }

    @Test
    void a_pushed_branch_is_found_locally_or_on_the_remote() {
        work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        assertThat(localLanding().stage()).isEqualTo(Stage.PUSHED);
        assertThat(localLanding().inWords()).isEqualTo("pushed to origin/fix-x, 2 ahead");

        sampleRepository.git("update-ref", "-d", "refs/remotes/origin/fix-x");
        assertThat(localLanding().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(remoteLanding().stage()).isEqualTo(Stage.PUSHED);
        assertThat(remoteLanding().where()).contains("origin/fix-x");
        assertThat(remoteLanding().computedFrom())
                .startsWith("the worktree and origin; compared with main " + sampleRepository.git("rev-parse", "main"));
        assertThat(sampleRepository
                        .tryGit("rev-parse", "--verify", "-q", "refs/remotes/origin/fix-x")
                        .ok())
                .as("tracking refs are never touched")
                .isFalse();
    }

    @Test
    void a_new_commit_after_a_push_makes_the_landing_committed_again() {
        work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        inside.write("a.txt", "more\n").commit("more");

        assertThat(localLanding().stage()).isEqualTo(Stage.COMMITTED);
    }

    @Test
    void a_pull_request_is_found_by_its_ref() {
        var tip = work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        remote.git("update-ref", "refs/pull/17/head", tip);

        assertThat(remoteLanding().stage()).isEqualTo(Stage.PR_OPEN);
        assertThat(remoteLanding().pull()).contains(new Landing.PullRequest(17, Optional.empty()));
        assertThat(remoteLanding().inWords()).isEqualTo("pull request #17 open, 2 ahead");

        remote.git("update-ref", "-d", "refs/pull/17/head");
        remote.git("update-ref", "refs/merge-requests/4/head", tip);
        assertThat(remoteLanding().inWords()).isEqualTo("pull request #4 open, 2 ahead");
    }

    @Test
    void the_answer_of_gh_overrides_the_refs_of_the_remote() throws IOException {
        var tip = work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        remote.git("update-ref", "refs/pull/17/head", tip);
        for (var state : new String[] {"OPEN", "CLOSED", "MERGED"}) {
            gh("echo \"17 %s %s https://forge.example/pull/17\"".formatted(state, tip));
            var landing = remoteLanding();
            assertThat(landing.stage())
                    .isEqualTo(
                            switch (state) {
                                case "OPEN" -> Stage.PR_OPEN;
                                case "CLOSED" -> Stage.PUSHED;
                                default -> Stage.MERGED;
                            });
            assertThat(landing.pull().orElseThrow().url()).contains("https://forge.example/pull/17");
        }
        gh("echo 'not logged in' >&2; exit 4");
        assertThat(remoteLanding().stage()).isEqualTo(Stage.PR_OPEN);
        assertThat(sampleRepository.room.resolve("asked")).content().contains("--head fix-x");
    }

    @Test
    void a_merge_request_is_found_with_glab() throws IOException {
        var tip = work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        program(
                "glab",
                "echo '[{\"id\":1,\"iid\":8,\"state\":\"opened\",\"author\":{\"state\":\"active\"},\"sha\":\"%s\"}]'"
                        .formatted(tip));

        assertThat(remoteLanding().inWords()).isEqualTo("pull request #8 open, 2 ahead");
    }

    private void gh(String script) throws IOException {
        program("gh", script);
    }

    private void program(String name, String script) throws IOException {
        var bin = Files.createDirectories(sampleRepository.room.resolve("bin"));
        var file = bin.resolve(name);
        Files.writeString(file, "#!/bin/sh\necho \"$@\" >>\"$HOME/asked\"\n" + script + "\n");
        file.toFile().setExecutable(true);
        var environment = new HashMap<>(SampleRepository.environment(sampleRepository.room));
        environment.put("PATH", bin + ":" + environment.get("PATH"));
        worktrees = new GitWorktrees(CheckpointLimits.DEFAULT, environment);
    }

    @Test
    void a_merge_is_found_by_ancestry_locally_and_on_the_remote() {
        work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        var colleague = colleague();
        colleague.git("merge", "-q", "--no-ff", "-m", "merge", "origin/fix-x");
        colleague.git("push", "-q");
        assertThat(localLanding().stage()).isEqualTo(Stage.PUSHED);
        assertThat(remoteLanding().stage()).isEqualTo(Stage.MERGED);
        assertThat(remoteLanding().inWords()).isEqualTo("merged into origin/main");
        assertThat(sampleRepository.git("rev-parse", "origin/main")).isEqualTo(w.base());

        inside.write("late.txt", "late");
        assertThat(remoteLanding().inWords()).isEqualTo("merged into origin/main, 1 file uncommitted");

        sampleRepository.git("merge", "-q", w.branch());
        assertThat(localLanding().where()).contains("main");
    }

    @Test
    void cherry_picked_commits_count_as_merged() {
        work();
        sampleRepository.write("c.txt", "other\n").commit("other");
        sampleRepository.git("cherry-pick", w.base() + ".." + w.branch());

        assertThat(localLanding().stage()).isEqualTo(Stage.MERGED);
        assertThat(localLanding().squashedAs()).isEmpty();
    }

    @Test
    void a_squash_merge_counts_as_merged() {
        work();
        sampleRepository.write("c.txt", "other\n").commit("other");
        sampleRepository.git("merge", "-q", "--squash", w.branch());
        var squash = sampleRepository.commit("squashed");
        sampleRepository.write("c.txt", "and on\n").commit("and on");

        assertThat(localLanding().inWords()).isEqualTo("merged (squashed as " + squash.substring(0, 7) + ")");
        inside.write("a.txt", "one more\n").commit("one more");
        assertThat(localLanding().stage()).isEqualTo(Stage.COMMITTED);
    }

    @Test
    void an_unfinished_git_operation_is_part_of_the_landing() {
        inside.write("a.txt", "own\n");
        var own = inside.commit("own");
        sampleRepository.write("a.txt", "theirs\n").commit("theirs");

        assertThat(inside.tryGit("rebase", "main").ok()).isFalse();
        assertThat(localLanding().head()).isEqualTo(own);
        assertThat(localLanding().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(localLanding().inWords())
                .isEqualTo("committed, mid_rebase with 1 conflict, 1 ahead, 1 behind, 1 file uncommitted");
        inside.git("rebase", "--abort");
        assertThat(inside.tryGit("merge", "main").ok()).isFalse();
        assertThat(localLanding().operation()).contains(GitOperation.MERGE);
        inside.git("merge", "--abort");
        assertThat(inside.tryGit("cherry-pick", "main").ok()).isFalse();
        assertThat(localLanding().operation()).contains(GitOperation.CHERRY_PICK);
        inside.git("cherry-pick", "--abort");
        inside.write("a.txt", "and on\n").commit("and on");
        assertThat(inside.tryGit("revert", "--no-edit", "HEAD~1").ok()).isFalse();
        assertThat(localLanding().operation()).contains(GitOperation.REVERT);
        inside.git("revert", "--abort");
        inside.git("bisect", "start");
        assertThat(localLanding().operation()).contains(GitOperation.BISECT);
    }

    @Test
    void after_a_rebase_onto_newer_work_only_the_own_commits_of_the_run_count() {
        work();
        sampleRepository.write("c.txt", "1\n").commit("c 1");
        sampleRepository.write("c.txt", "2\n").commit("c 2");
        inside.git("rebase", "-q", "main");

        assertThat(localLanding().ahead()).isEqualTo(2);
        assertThat(localLanding().behind()).isZero();
    }

    @Test
    void the_landing_of_a_removed_worktree_is_computed_from_its_checkpoint() {
        work();
        inside.write("a.txt", "dirty\n").write("new", "new");
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);

        assertThat(localLanding().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(localLanding().dirty()).isEqualTo(1);
        assertThat(localLanding().untracked()).isEqualTo(1);
        assertThat(localLanding().computedFrom()).startsWith("checkpoint 1");
    }

    @Test
    void a_remote_that_does_not_answer_is_named() {
        work();
        sampleRepository.git(
                "remote",
                "set-url",
                "origin",
                sampleRepository.room.resolve("gone.git").toString());

        assertThat(remoteLanding().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(remoteLanding().computedFrom()).startsWith("the worktree; no answer from origin");
    }

    @Test
    void every_stage_and_operation_can_be_parsed_from_its_word() {
        for (var stage : Stage.values()) assertThat(Stage.of(stage.word())).contains(stage);
        for (var mid : GitOperation.values())
            assertThat(GitOperation.of(mid.word())).contains(mid);
        assertThat(Stage.PR_OPEN.word()).isEqualTo("pr_open");
    }

    // ---- deleting the refs of merged runs

    @Test
    void the_refs_of_a_run_are_deleted_only_after_its_work_is_merged() {
        work();
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
        sampleRepository.git("merge", "-q", w.branch());

        assertThat(worktrees.deleteMergedRefs(w)).isTrue();

        assertThat(sampleRepository.git("for-each-ref", "refs/roost/" + w.run(), "refs/heads/roost"))
                .isEmpty();
        assertThat(worktrees.deleteMergedRefs(w))
                .as("a second call changes nothing")
                .isTrue();
    }

    @Test
    void refs_are_kept_if_a_commit_outside_the_merged_branch_depends_on_them() {
        work();
        inside.git("checkout", "-q", "--detach");
        inside.write("idea.txt", "left behind\n").commit("an idea");
        inside.git("checkout", "-q", w.branch());
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        sampleRepository.git("merge", "-q", w.branch());
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
    }

    @Test
    void the_refs_of_a_run_without_changes_are_deleted() {
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        assertThat(worktrees.deleteMergedRefs(w)).isTrue();
        assertThat(sampleRepository.git("for-each-ref", "refs/roost/" + w.run(), "refs/heads/roost"))
                .isEmpty();
    }

    @Test
    void refs_are_kept_if_a_checkpoint_holds_an_uncommitted_file() {
        work();
        inside.write("new", "new");
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        sampleRepository.git("merge", "-q", w.branch());

        assertThat(localLanding().stage()).isEqualTo(Stage.MERGED);
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
        assertThat(sampleRepository.git("show", "refs/roost/" + w.run() + "/1:new"))
                .isEqualTo("new");
    }
}
