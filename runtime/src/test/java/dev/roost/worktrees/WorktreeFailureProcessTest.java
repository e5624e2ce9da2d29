package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.base.NoSuchRun;
import dev.roost.config.WorktreePolicy;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.Status;
import dev.roost.service.PruneRequest;
import dev.roost.sessions.NoticeDigest;
import dev.roost.worktrees.testing.WorktreeRunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Agents that damage their worktree, repositories that disappear, and git commands that hang. */
class WorktreeFailureProcessTest extends WorktreeRunFixture {

    private static final PruneRequest EVERYTHING =
            new PruneRequest(Duration.ZERO.minusHours(1), OptionalLong.empty(), true, false, false, false);

    private static final PruneRequest UNMERGED_TOO =
            new PruneRequest(Duration.ZERO.minusHours(1), OptionalLong.empty(), true, true, false, false);

    private static final Owner OTHER = new Owner("claude:other");

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void openGate() throws IOException {
        if (!Files.exists(scratch.resolve("gate"))) touch("gate"); // for processes that still wait for it
        threads.shutdownNow();
    }

    private void checkpointOften() {
        policy = new WorktreePolicy(
                WorktreePolicy.SetupPolicy.NOTHING, Duration.ofMillis(100), Optional.empty(), 50L << 20, false);
        restart();
    }

    private List<String> troubles(RunRecord run) {
        return service.events(show(run)).stream()
                .filter(event -> event.kind().equals("trouble"))
                .map(event -> event.text())
                .toList();
    }

    private <T> T soon(Callable<T> work) throws Exception {
        return within(threads.submit(work));
    }

    private static <T> T within(Future<T> work) throws Exception {
        try {
            return work.get(SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("it does not end in time", e);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }

    /** Checkpoints of a worktree with a file {@code slow} create the file {@code checkpointing} and block until the gate is open. */
    private void blockCheckpoints() throws IOException {
        var program = Files.createDirectories(scratch.resolve("bin")).resolve("git");
        Files.writeString(program, """
                #!/bin/sh
                if [ -n "$GIT_OBJECT_DIRECTORY" ] && [ -e "$2/slow" ]; then
                    touch %1$s/checkpointing
                    until [ -e %1$s/gate ]; do sleep 0.05; done
                fi
                PATH='%2$s'
                exec git "$@"
                """.formatted(scratch, path));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        path = program.getParent() + ":" + path;
    }

    /** A git filter that creates the file {@code name} and then blocks until the gate is open. */
    private String gated(String name) {
        return "touch %s/%s; until [ -e %s/gate ]; do sleep 0.05; done; cat".formatted(scratch, name, scratch);
    }

    @Test
    void the_notice_says_when_the_last_checkpoint_failed() {
        var run = script("echo x > new.txt; rm .git");
        awaitEnd(run);
        await().atMost(SOON).until(() -> work(run).landing().isPresent());

        assertThat(landing(run)).isEqualTo("unknown");
        assertThat(work(run).trouble())
                .hasValueSatisfying(why -> assertThat(why).contains("no checkpoint"));
        assertThat(NoticeDigest.of(service.inbox(Optional.of(PARENT), AS_OPERATOR)))
                .contains("not kept");
    }

    @Test
    void a_checkpoint_that_succeeds_later_clears_the_problem() throws Exception {
        var run = script("echo x > new.txt; mv .git $SCRATCH/held");
        awaitEnd(run);
        await().atMost(SOON).until(() -> work(run).trouble().isPresent());
        Files.move(scratch.resolve("held"), home.worktree(run.id()).resolve(".git"));
        restart();
        await().atMost(SOON).until(() -> work(run).inspectedAttempt() == 1);

        assertThat(work(run).trouble()).isEmpty();
        assertThat(NoticeDigest.of(service.inbox(Optional.of(PARENT), AS_OPERATOR)))
                .contains("kept as refs/roost/")
                .doesNotContain("not kept");
    }

    @Test
    void a_missing_repository_is_reported_once_and_not_every_few_minutes() {
        checkpointOften();
        var other = scratch.resolve("other");
        git(scratch, "clone", "-q", repo.toString(), other.toString());
        var gone = script("mv $SCRATCH/repo $SCRATCH/moved");
        awaitEnd(gone);
        var busy = script(other, "n=0; until [ -e $SCRATCH/gate ]; do n=$((n + 1)); echo $n > f; sleep 0.02; done");
        await().atMost(SOON)
                .until(() -> work(busy).rescue().filter(last -> last.n() > 6).isPresent());

        assertThat(troubles(gone)).doesNotHaveDuplicates().hasSizeBetween(1, 3);
        assertThat(troubles(gone)).anySatisfy(text -> assertThat(text).contains("is not there"));
        assertThat(show(gone).status().ended()).isTrue();
    }

    @Test
    void one_damaged_worktree_does_not_keep_other_runs_from_being_pruned() {
        var odd = awaitEnd(script(
                "here=$PWD; echo x > f; cd ..; mv \"$here\" $SCRATCH/elsewhere; ln -s $SCRATCH/elsewhere \"$here\""));
        var plain = awaitInspected(script("true"));

        var result = service.maintenance().prune(EVERYTHING);

        assertThat(result.runs()).extracting(RunRecord::id).contains(plain.id());
        assertThat(result.left()).singleElement().satisfies(left -> {
            assertThat(left.run().id()).isEqualTo(odd.id());
            assertThat(left.why()).contains("link");
        });
        assertThat(scratch.resolve("elsewhere/f")).hasContent("x");
    }

    @Test
    void a_run_continued_while_others_are_pruned_keeps_its_worktree() throws Exception {
        blockCheckpoints();
        agents("""
                init; echo "attempt $ROOST_ATTEMPT" >> notes; say "m$ROOST_ATTEMPT"
                [ "$ROOST_ATTEMPT" = 1 ] || { touch "$SCRATCH/again"; until_there end; }
                result done
                """);
        var older = awaitInspected(script("true"));
        var continued =
                awaitInspected(service.start(inWorktree(repo, "scripted", new Task(List.of(), Optional.of("do it")))));
        Files.writeString(home.worktree(older.id()).resolve("slow"), "x");

        var pruning = threads.submit(() -> service.maintenance().prune(EVERYTHING));
        awaitFile("checkpointing");
        service.send(show(continued), "go on", AS_PARENT);
        awaitFile("again");
        touch("gate");
        within(pruning);

        assertThat(home.worktree(continued.id()).resolve("notes")).hasContent("attempt 1\nattempt 2");
        assertThat(show(continued).status()).isEqualTo(Status.RUNNING);
        assertThat(home.run(continued.id()).output()).exists();
        touch("end");
        assertThat(awaitEnd(continued).status()).isEqualTo(Status.COMPLETED);
    }

    @Test
    void a_run_continued_while_it_is_pruned_is_either_complete_or_deleted() throws Exception {
        blockCheckpoints();
        agents("init; say \"m$ROOST_ATTEMPT\"; result done");
        var run =
                awaitInspected(service.start(inWorktree(repo, "scripted", new Task(List.of(), Optional.of("do it")))));
        Files.writeString(home.worktree(run.id()).resolve("slow"), "x");

        var pruning = threads.submit(() -> service.maintenance().prune(UNMERGED_TOO));
        awaitFile("checkpointing");
        var sending = threads.submit(() -> service.send(show(run), "go on", AS_PARENT));
        try {
            sending.get(1, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            // it waits for the end of the prune
        }
        touch("gate");
        var result = within(pruning);

        if (result.runs().isEmpty()) {
            within(sending);
            assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        } else {
            assertThatThrownBy(sending::get).hasRootCauseInstanceOf(NoSuchRun.class);
            assertThat(home.run(run.id()).path()).doesNotExist();
        }
    }

    private RunRecord runWithHangingWorktree() {
        git(repo, "config", "filter.slow.smudge", gated("making"));
        write(repo.resolve(".gitattributes"), "slow filter=slow\n");
        write(repo.resolve("slow"), "x");
        git(repo, "add", "-A");
        git(repo, "commit", "-qm", "slow");
        var run = script("true");
        awaitFile("making");
        return run;
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_stop_does_not_wait_for_a_worktree_that_is_never_made() throws Exception {
        var run = runWithHangingWorktree();
        assertThat(soon(() -> service.stop(show(run), AS_OPERATOR)).status()).isEqualTo(Status.CANCELED_BY_USER);
    }

    @Test
    void neither_the_close_nor_the_start_of_a_daemon_waits_for_a_worktree_that_is_never_made() throws Exception {
        var run = runWithHangingWorktree();
        soon(() -> {
            restart();
            return "";
        });
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
        touch("gate");
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED_EMPTY);
    }

    @Test
    void a_hanging_checkpoint_delays_neither_others_nor_a_pause_nor_the_close_of_the_daemon() throws Exception {
        checkpointOften();
        blockCheckpoints();
        var hangs = script("echo x > slow; until [ -e $SCRATCH/gate ]; do sleep 0.05; done");
        awaitFile("checkpointing");
        var waits = "echo one > f; until [ -e $SCRATCH/gate ]; do sleep 0.05; done";
        var fine = service.start(
                inWorktree(OTHER, repo, "command", new Task(List.of("sh", "-c", waits), Optional.empty())));
        awaitCheckpointed(fine, "f", "one");

        var remarks = soon(() -> service.pause(Duration.ofSeconds(2))).remarks();
        assertThat(remarks)
                .anyMatch(remark ->
                        remark.failed() && remark.text().contains(hangs.id().text()));
        service.resume();
        assertThat(service.activityReports()
                        .report(Duration.ofHours(1), Optional.empty(), new Caller(OTHER, false))
                        .pauses())
                .singleElement()
                .satisfies(pause -> assertThat(pause.remarks())
                        .as("an owner gets no remark about another owner's run")
                        .noneMatch(remark -> remark.text().contains(hangs.id().text())));
        soon(() -> {
            service.close();
            return "";
        });
        service = open();
        assertThat(troubles(hangs))
                .as("the close of the daemon is not a problem of the run")
                .isEmpty();
    }
}
