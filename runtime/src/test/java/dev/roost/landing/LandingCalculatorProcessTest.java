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

/** How far the work got, told from git itself. */
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

    private Landing look() {
        return worktrees.landing(w, LookupScope.LOCAL);
    }

    private Landing lookFar() {
        return worktrees.landing(w, LookupScope.REMOTE);
    }

    /** Somebody else's clone, who merges what was pushed. */
    private SampleRepository colleague() {
        sampleRepository.git("clone", "-q", remote.top.toString(), "../colleague");
        return sampleRepository.at(sampleRepository.room.resolve("colleague"));
    }

    private String work() {
        inside.write("a.txt", "own 1\n").commit("own 1");
        return inside.write("src/b.txt", "own 2\n").commit("own 2");
    }

    @Test
    void nothing_and_uncommitted() {
        assertThat(look().stage()).isEqualTo(Stage.NOTHING);
        assertThat(look().inWords()).isEqualTo("nothing");
        sampleRepository.write("x", "x").commit("the user goes on");
        assertThat(look().stage()).isEqualTo(Stage.NOTHING);
        assertThat(look().behind()).isEqualTo(1);

        inside.write("a.txt", "dirty\n").write("new", "new");

        assertThat(look().stage()).isEqualTo(Stage.UNCOMMITTED);
        assertThat(look().inWords()).isEqualTo("uncommitted, 2 files");
    }

    @Test
    void committed_with_files_beside() {
        work();
        inside.write("a.txt", "dirty\n");

        assertThat(look().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(look().inWords()).isEqualTo("committed, 2 ahead, 1 file uncommitted");
        assertThat(look().head()).isEqualTo(inside.git("rev-parse", "HEAD"));
    }

    @Test
    void pushed_from_here_or_only_known_to_the_remote() {
        work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        assertThat(look().stage()).isEqualTo(Stage.PUSHED);
        assertThat(look().inWords()).isEqualTo("pushed to origin/fix-x, 2 ahead");

        sampleRepository.git("update-ref", "-d", "refs/remotes/origin/fix-x");
        assertThat(look().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(lookFar().stage()).isEqualTo(Stage.PUSHED);
        assertThat(lookFar().where()).contains("origin/fix-x");
        assertThat(lookFar().computedFrom())
                .startsWith("the worktree and origin; compared with main " + sampleRepository.git("rev-parse", "main"));
        assertThat(sampleRepository
                        .tryGit("rev-parse", "--verify", "-q", "refs/remotes/origin/fix-x")
                        .ok())
                .as("tracking refs are never touched")
                .isFalse();
    }

    @Test
    void pushed_and_then_gone_on_is_committed_again() {
        work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        inside.write("a.txt", "more\n").commit("more");

        assertThat(look().stage()).isEqualTo(Stage.COMMITTED);
    }

    @Test
    void a_pull_request_by_its_ref() {
        var tip = work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        remote.git("update-ref", "refs/pull/17/head", tip);

        assertThat(lookFar().stage()).isEqualTo(Stage.PR_OPEN);
        assertThat(lookFar().pull()).contains(new Landing.PullRequest(17, Optional.empty()));
        assertThat(lookFar().inWords()).isEqualTo("pull request #17 open, 2 ahead");

        remote.git("update-ref", "-d", "refs/pull/17/head");
        remote.git("update-ref", "refs/merge-requests/4/head", tip);
        assertThat(lookFar().inWords()).isEqualTo("pull request #4 open, 2 ahead");
    }

    @Test
    void a_forge_program_knows_better() throws IOException {
        var tip = work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        remote.git("update-ref", "refs/pull/17/head", tip);
        for (var state : new String[] {"OPEN", "CLOSED", "MERGED"}) {
            gh("echo \"17 %s %s https://forge.example/pull/17\"".formatted(state, tip));
            var landing = lookFar();
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
        assertThat(lookFar().stage()).isEqualTo(Stage.PR_OPEN);
        assertThat(sampleRepository.room.resolve("asked")).content().contains("--head fix-x");
    }

    @Test
    void so_does_the_other_forge_s() throws IOException {
        var tip = work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        program(
                "glab",
                "echo '[{\"id\":1,\"iid\":8,\"state\":\"opened\",\"author\":{\"state\":\"active\"},\"sha\":\"%s\"}]'"
                        .formatted(tip));

        assertThat(lookFar().inWords()).isEqualTo("pull request #8 open, 2 ahead");
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
    void merged_by_ancestry_locally_and_far_away() {
        work();
        inside.git("push", "-q", "origin", "HEAD:refs/heads/fix-x");
        var colleague = colleague();
        colleague.git("merge", "-q", "--no-ff", "-m", "merge", "origin/fix-x");
        colleague.git("push", "-q");
        assertThat(look().stage()).isEqualTo(Stage.PUSHED);
        assertThat(lookFar().stage()).isEqualTo(Stage.MERGED);
        assertThat(lookFar().inWords()).isEqualTo("merged into origin/main");
        assertThat(sampleRepository.git("rev-parse", "origin/main")).isEqualTo(w.base());

        inside.write("late.txt", "late");
        assertThat(lookFar().inWords()).isEqualTo("merged into origin/main, 1 file uncommitted");

        sampleRepository.git("merge", "-q", w.branch());
        assertThat(look().where()).contains("main");
    }

    @Test
    void merged_by_rebase() {
        work();
        sampleRepository.write("c.txt", "other\n").commit("other");
        sampleRepository.git("cherry-pick", w.base() + ".." + w.branch());

        assertThat(look().stage()).isEqualTo(Stage.MERGED);
        assertThat(look().squashedAs()).isEmpty();
    }

    @Test
    void merged_as_one_commit() {
        work();
        sampleRepository.write("c.txt", "other\n").commit("other");
        sampleRepository.git("merge", "-q", "--squash", w.branch());
        var squash = sampleRepository.commit("squashed");
        sampleRepository.write("c.txt", "and on\n").commit("and on");

        assertThat(look().inWords()).isEqualTo("merged (squashed as " + squash.substring(0, 7) + ")");
        inside.write("a.txt", "one more\n").commit("one more");
        assertThat(look().stage()).isEqualTo(Stage.COMMITTED);
    }

    @Test
    void in_the_middle_of_things() {
        inside.write("a.txt", "own\n");
        var own = inside.commit("own");
        sampleRepository.write("a.txt", "theirs\n").commit("theirs");

        assertThat(inside.tryGit("rebase", "main").ok()).isFalse();
        assertThat(look().head()).isEqualTo(own);
        assertThat(look().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(look().inWords())
                .isEqualTo("committed, mid_rebase with 1 conflict, 1 ahead, 1 behind, 1 file uncommitted");
        inside.git("rebase", "--abort");
        assertThat(inside.tryGit("merge", "main").ok()).isFalse();
        assertThat(look().operation()).contains(GitOperation.MERGE);
        inside.git("merge", "--abort");
        assertThat(inside.tryGit("cherry-pick", "main").ok()).isFalse();
        assertThat(look().operation()).contains(GitOperation.CHERRY_PICK);
        inside.git("cherry-pick", "--abort");
        inside.write("a.txt", "and on\n").commit("and on");
        assertThat(inside.tryGit("revert", "--no-edit", "HEAD~1").ok()).isFalse();
        assertThat(look().operation()).contains(GitOperation.REVERT);
        inside.git("revert", "--abort");
        inside.git("bisect", "start");
        assertThat(look().operation()).contains(GitOperation.BISECT);
    }

    @Test
    void after_a_rebase_onto_newer_work_only_its_own_commits_count() {
        work();
        sampleRepository.write("c.txt", "1\n").commit("c 1");
        sampleRepository.write("c.txt", "2\n").commit("c 2");
        inside.git("rebase", "-q", "main");

        assertThat(look().ahead()).isEqualTo(2);
        assertThat(look().behind()).isZero();
    }

    @Test
    void without_its_worktree_the_checkpoint_tells() {
        work();
        inside.write("a.txt", "dirty\n").write("new", "new");
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);

        assertThat(look().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(look().dirty()).isEqualTo(1);
        assertThat(look().untracked()).isEqualTo(1);
        assertThat(look().computedFrom()).startsWith("checkpoint 1");
    }

    @Test
    void a_remote_that_does_not_answer_is_named() {
        work();
        sampleRepository.git(
                "remote",
                "set-url",
                "origin",
                sampleRepository.room.resolve("gone.git").toString());

        assertThat(lookFar().stage()).isEqualTo(Stage.COMMITTED);
        assertThat(lookFar().computedFrom()).startsWith("the worktree; no answer from origin");
    }

    @Test
    void words_go_both_ways() {
        for (var stage : Stage.values()) assertThat(Stage.of(stage.word())).contains(stage);
        for (var mid : GitOperation.values())
            assertThat(GitOperation.of(mid.word())).contains(mid);
        assertThat(Stage.PR_OPEN.word()).isEqualTo("pr_open");
    }

    // ---- forgetting

    @Test
    void what_is_merged_is_forgotten_and_nothing_else_is() {
        work();
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
        sampleRepository.git("merge", "-q", w.branch());

        assertThat(worktrees.deleteMergedRefs(w)).isTrue();

        assertThat(sampleRepository.git("for-each-ref", "refs/roost/" + w.run(), "refs/heads/roost"))
                .isEmpty();
        assertThat(worktrees.deleteMergedRefs(w))
                .as("once more changes nothing")
                .isTrue();
    }

    @Test
    void what_holds_on_to_commits_that_the_agent_left_behind_is_not_forgotten() {
        work();
        inside.git("checkout", "-q", "--detach");
        inside.write("idea.txt", "left behind\n").commit("an idea");
        inside.git("checkout", "-q", w.branch());
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        sampleRepository.git("merge", "-q", w.branch());
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
    }

    @Test
    void what_did_nothing_is_forgotten() {
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        assertThat(worktrees.deleteMergedRefs(w)).isTrue();
        assertThat(sampleRepository.git("for-each-ref", "refs/roost/" + w.run(), "refs/heads/roost"))
                .isEmpty();
    }

    @Test
    void a_file_that_was_never_committed_is_not_forgotten() {
        work();
        inside.write("new", "new");
        worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
        sampleRepository.git("merge", "-q", w.branch());

        assertThat(look().stage()).isEqualTo(Stage.MERGED);
        assertThat(worktrees.deleteMergedRefs(w)).isFalse();
        assertThat(sampleRepository.git("show", "refs/roost/" + w.run() + "/1:new"))
                .isEqualTo("new");
    }
}
