package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Refusal;
import dev.roost.config.WorktreePolicy;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Status;
import dev.roost.service.PruneRequest;
import dev.roost.service.RealProcessFixture;
import dev.roost.sessions.NoticeDigest;
import dev.roost.worktrees.testing.WorktreeRunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Runs with their own worktree: its creation, checkpoints, landing, pruning and restore. */
class WorktreeServiceProcessTest extends WorktreeRunFixture {

    private static final String TWO_ATTEMPTS = """
            init; echo "attempt $ROOST_ATTEMPT" >> notes; say "m$ROOST_ATTEMPT"
            [ "$ROOST_ATTEMPT" = 1 ] && { touch "$SCRATCH/wrote"; until_there never; }
            result done
            """;

    @Test
    void each_run_works_in_its_own_worktree_and_branch_and_the_checkout_stays_unchanged() {
        var head = git(repo, "rev-parse", "HEAD");
        var run = awaitInspected(
                script(repo.resolve("sub"), "pwd; cat b.txt; echo three > c.txt; git add . ; git commit -qm c"));

        assertThat(run.status()).as(result(run)).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).contains(home.worktree(run.id()) + "/sub", "two");
        assertThat(landing(run)).isEqualTo("committed");
        assertThat(git(repo, "log", "--format=%s", "roost/" + run.id())).isEqualTo("c\nfirst");
        assertThat(git(repo, "rev-parse", "HEAD")).isEqualTo(head);
        assertThat(git(repo, "status", "--porcelain")).isEmpty();
        assertThat(git(repo, "worktree", "list", "--porcelain")).contains("locked roost " + run.id());
    }

    @Test
    void the_notice_shows_the_landing_and_the_checkpoint_ref() {
        var run = awaitInspected(script("echo x > new.txt; echo done"));
        assertThat(landing(run)).isEqualTo("uncommitted");
        var ref = work(run).rescue().orElseThrow().ref();
        assertThat(git(repo, "show", ref + ":new.txt")).isEqualTo("x");
        assertThat(NoticeDigest.of(service.inbox(Optional.of(PARENT), AS_OPERATOR)))
                .contains("code: uncommitted, 1 file (kept as " + ref + ")");
    }

    @Test
    void a_reader_that_waits_for_the_end_gets_the_landing() {
        for (int i = 0; i < 3; i++)
            assertThat(awaitEnd(script("echo x > new.txt")).work().orElseThrow().landing())
                    .isPresent();
    }

    @Test
    void a_lost_run_resumes_in_its_worktree_with_its_uncommitted_files_and_its_prompt_names_the_checkpoint()
            throws IOException {
        var run = scripted(TWO_ATTEMPTS);
        awaitFile("wrote");
        List.of(perch(run), agent(run)).forEach(RealProcessFixture::kill);
        awaitInspected(run);

        assertThat(show(run).latest().n()).isEqualTo(2);
        assertThat(show(run).status()).as(show(run).latest().toString()).isEqualTo(Status.COMPLETED);
        assertThat(Files.readString(home.worktree(run.id()).resolve("notes"))).isEqualTo("attempt 1\nattempt 2\n");
        assertThat(home.run(run.id()).attempt(2).promptText().orElseThrow()).contains("refs/roost/" + run.id());
        assertThat(git(repo, "show", "refs/roost/%s/1:notes".formatted(run.id())))
                .as("the checkpoint before the next attempt")
                .isEqualTo("attempt 1");
    }

    @Test
    void only_ended_attempts_count_as_inspected_while_the_next_attempt_runs() throws IOException {
        var run = scripted("""
                init; echo "attempt $ROOST_ATTEMPT" >> notes; say "m$ROOST_ATTEMPT"; touch "$SCRATCH/wrote-$ROOST_ATTEMPT"
                until_there end; result done
                """);
        awaitFile("wrote-1");
        List.of(perch(run), agent(run)).forEach(RealProcessFixture::kill);
        awaitFile("wrote-2");
        await().atMost(SOON).until(() -> work(run).inspectedAttempt() > 0);
        assertThat(work(run).inspectedAttempt()).isEqualTo(1);
        touch("end");
        awaitInspected(run);
    }

    @Test
    void a_missing_worktree_is_restored_from_its_checkpoint_and_the_checkout_is_not_touched() throws Exception {
        policy = new WorktreePolicy(
                WorktreePolicy.SetupPolicy.NOTHING, Duration.ofMillis(200), Optional.empty(), 50L << 20, false);
        var run = scripted(TWO_ATTEMPTS);
        awaitFile("wrote");
        awaitCheckpointed(run, "notes", "attempt 1");
        var processes = List.of(perch(run), agent(run));
        service.close();
        processes.forEach(RealProcessFixture::kill);
        new ProcessBuilder("rm", "-rf", home.worktree(run.id()).toString())
                .start()
                .waitFor();
        git(repo, "worktree", "prune");
        service = open();
        awaitInspected(run);

        assertThat(Files.readString(home.worktree(run.id()).resolve("notes"))).isEqualTo("attempt 1\nattempt 2\n");
        assertThat(repo.resolve("notes")).doesNotExist();
    }

    @Test
    void a_changed_worktree_of_a_live_run_gets_periodic_checkpoints() {
        policy = new WorktreePolicy(
                WorktreePolicy.SetupPolicy.NOTHING, Duration.ofMillis(200), Optional.empty(), 50L << 20, false);
        restart();
        var run = script(
                "echo one > f; until [ -e $SCRATCH/go ]; do sleep 0.05; done; echo two > f; until [ -e $SCRATCH/end ]; do sleep 0.05; done");
        awaitCheckpointed(run, "f", "one");
        touch("go");
        awaitCheckpointed(run, "f", "two");
        touch("end");
        int last = work(run).rescue().orElseThrow().n();
        awaitInspected(run);
        assertThat(work(run).rescue().orElseThrow().n())
                .as("no change since the last checkpoint")
                .isEqualTo(last);
    }

    private static String refOf(RunRecord run, int n) {
        return "refs/roost/%s/%d".formatted(run.id(), n);
    }

    @Test
    void a_restarted_daemon_finishes_the_work_left_after_an_end() {
        var run = awaitBegun(script("echo x > new.txt; until [ -e $SCRATCH/go ]; do sleep 0.05; done"));
        service.close();
        touch("go");
        await().atMost(SOON).until(() -> home.run(run.id()).attempt(1).exit().isPresent());
        service = open();
        awaitInspected(run);
        assertThat(landing(run)).isEqualTo("uncommitted");
    }

    @Test
    void a_new_worktree_gets_its_files_and_its_setup_once_and_the_output_shows_the_setup() throws IOException {
        Files.writeString(repo.resolve("key.secret"), "s3cret");
        Files.createDirectories(repo.resolve("cache"));
        var setupPolicy = new WorktreePolicy.SetupPolicy(
                Optional.of("echo making ready; echo x >> set-up\n"), List.of("key.secret"), List.of("cache"));
        policy = new WorktreePolicy(setupPolicy, Duration.ofMinutes(5), Optional.empty(), 50L << 20, false);
        var run = scripted(TWO_ATTEMPTS);
        awaitFile("wrote");
        List.of(perch(run), agent(run)).forEach(RealProcessFixture::kill);
        awaitInspected(run);

        var there = home.worktree(run.id());
        assertThat(Files.readString(there.resolve("key.secret"))).isEqualTo("s3cret");
        assertThat(there.resolve("cache")).isSymbolicLink();
        assertThat(Files.readString(there.resolve("set-up"))).as("once").isEqualTo("x\n");
        assertThat(text(run)).contains("setup done", "making ready");
    }

    @Test
    void a_failed_setup_ends_the_run_with_the_output_of_the_setup() throws IOException {
        policy = new WorktreePolicy(
                new WorktreePolicy.SetupPolicy(Optional.of("echo no such package >&2; exit 7"), List.of(), List.of()),
                Duration.ofMinutes(5),
                Optional.empty(),
                50L << 20,
                false);
        restart();
        var run = awaitInspected(script("echo never"));
        assertThat(run.status()).isEqualTo(Status.FAILED);
        assertThat(run.latest().evidence().orElseThrow().note().orElseThrow())
                .contains("exit status 7", "no such package");
        assertThat(text(run)).contains("setup failed with exit status 7");
    }

    @Test
    void a_link_out_of_the_repository_is_not_copied_into_the_worktree() throws IOException {
        Files.writeString(scratch.resolve("outside"), "theirs");
        Files.createSymbolicLink(repo.resolve("link.secret"), scratch.resolve("outside"));
        policy = new WorktreePolicy(
                new WorktreePolicy.SetupPolicy(Optional.empty(), List.of("link.secret"), List.of("gone")),
                Duration.ofMinutes(5),
                Optional.empty(),
                50L << 20,
                false);
        restart();
        var run = awaitInspected(script("ls -a"));
        assertThat(result(run)).doesNotContain("link.secret");
        assertThat(service.events(run))
                .anySatisfy(event -> assertThat(event.text())
                        .contains("link.secret was not copied or linked", "out of the repository"));
    }

    @Test
    void a_run_whose_worktree_cannot_be_made_is_refused_with_the_reason() throws IOException {
        assertThatThrownBy(() -> script(scratch, "true"))
                .isInstanceOfSatisfying(Refusal.class, e -> assertThat(e.code()).isEqualTo("not_a_repository"));
        var empty = Files.createDirectories(scratch.resolve("empty"));
        git(empty, "init", "-q");
        assertThatThrownBy(() -> script(empty, "true"))
                .isInstanceOfSatisfying(Refusal.class, e -> assertThat(e.code()).isEqualTo("no_commits"));
        assertThat(home.runs()).isEmptyDirectory();
    }

    @Test
    void fifty_runs_that_start_at_once_in_one_repository_each_get_a_worktree() {
        var runs = new ArrayList<RunRecord>();
        for (int i = 0; i < 50; i++) runs.add(script("echo %d > mine; git add mine; git commit -qm mine".formatted(i)));
        for (int i = 0; i < 50; i++) {
            var run = awaitInspected(runs.get(i));
            assertThat(run.status()).as(run.latest().toString()).isIn(Status.COMPLETED, Status.COMPLETED_EMPTY);
            assertThat(git(repo, "show", "roost/" + run.id() + ":mine")).isEqualTo(Integer.toString(i));
        }
    }

    @Test
    void pruning_removes_the_worktree_of_unmerged_work_and_restore_brings_it_back_byte_for_byte() throws IOException {
        var run = awaitInspected(
                script("echo x > new.txt; echo k > my.secret; printf 'a\\r\\n' > a.txt; git mv sub/b.txt moved.txt"));
        service.markRead(run, 1, AS_PARENT);
        var there = home.worktree(run.id());
        var status = git(there, "status", "--porcelain", "--ignored");

        var preview = service.maintenance()
                .prune(new PruneRequest(Duration.ZERO.minusHours(1), OptionalLong.empty(), false, false, false, true));
        assertThat(there).exists();
        assertThat(preview.worktrees()).hasSize(1);
        var pruned = service.maintenance()
                .prune(new PruneRequest(Duration.ZERO.minusHours(1), OptionalLong.empty(), false, false, false, false));

        assertThat(there).doesNotExist();
        assertThat(pruned.runs()).isEmpty();
        assertThat(pruned.left())
                .singleElement()
                .satisfies(left -> assertThat(left.why()).contains("merged nowhere", "refs/roost/"));
        assertThat(result(run)).isEmpty();

        assertThat(service.runWorktrees().restore(show(run), Optional.empty(), Optional.empty()))
                .isEqualTo(there);
        assertThat(git(there, "status", "--porcelain", "--ignored")).isEqualTo(status);
        assertThat(Files.readString(there.resolve("a.txt"))).isEqualTo("a\r\n");
        assertThat(Files.readString(there.resolve("my.secret"))).isEqualTo("k\n");

        var copy = service.runWorktrees().restore(show(run), Optional.of(scratch.resolve("copy")), Optional.empty());
        assertThat(Files.readString(copy.resolve("new.txt"))).isEqualTo("x\n");
    }

    @Test
    void pruning_removes_merged_runs_and_runs_without_changes_completely() {
        var merged = awaitInspected(script("echo x > new.txt; git add .; git commit -qm new"));
        var nothing = awaitInspected(script("true"));
        git(repo, "merge", "-q", "roost/" + merged.id());
        for (var run : List.of(merged, nothing)) service.markRead(run, 1, AS_PARENT);
        var pruned = service.maintenance()
                .prune(new PruneRequest(Duration.ZERO.minusHours(1), OptionalLong.empty(), false, false, false, false));
        assertThat(pruned.runs())
                .as(pruned.left().toString())
                .extracting(RunRecord::id)
                .containsExactlyInAnyOrder(merged.id(), nothing.id());
        assertThat(git(repo, "for-each-ref", "refs/roost", "refs/heads/roost")).isEmpty();
        assertThat(home.worktrees()).isEmptyDirectory();
    }

    @Test
    void each_checkpoint_is_pushed_to_the_checkpoint_remote_without_ignored_files() {
        var remote = scratch.resolve("remote.git");
        git(scratch, "init", "-q", "--bare", remote.toString());
        git(repo, "remote", "add", "backup", remote.toString());
        policy = new WorktreePolicy(
                WorktreePolicy.SetupPolicy.NOTHING, Duration.ofMinutes(5), Optional.of("backup"), 50L << 20, false);
        restart();
        var run = awaitInspected(script("echo x > new.txt; echo k > my.secret"));
        await().atMost(SOON)
                .until(() -> tryGit(remote, "show", refOf(run, 1) + ":new.txt").equals("x"));
        assertThat(git(remote, "ls-tree", "-r", "--name-only", refOf(run, 1))).doesNotContain("secret");

        git(repo, "remote", "set-url", "backup", scratch.resolve("gone.git").toString());
        var other = awaitInspected(script("echo y > new.txt"));
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(work(other).trouble().orElse("")).contains("not on backup"));
    }

    @Test
    void an_announced_pause_makes_a_checkpoint_of_every_live_worktree() {
        var run = awaitBegun(
                script("echo x > new.txt; touch $SCRATCH/wrote; until [ -e $SCRATCH/go ]; do sleep 0.05; done"));
        awaitFile("wrote");
        assertThat(service.pause().remarks())
                .extracting(remark -> remark.text())
                .containsExactly("1 of 1 worktrees have a checkpoint");
        assertThat(git(repo, "show", refOf(run, 1) + ":new.txt")).isEqualTo("x");
    }
}
