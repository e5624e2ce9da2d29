package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.base.FaultPoints;
import dev.roost.cluster.testing.ClusterMachine;
import dev.roost.cluster.testing.ClusterMachines;
import dev.roost.cluster.testing.ClusterMachinesFixture;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Cause;
import dev.roost.model.Status;
import dev.roost.node.SharedFileName;
import dev.roost.output.OutputPage;
import dev.roost.service.PruneRequest;
import dev.roost.service.PruneResult;
import dev.roost.sessions.NoticeDigest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A run whose machine is lost continues on another one, with its conversation and its files. */
class RunRelocationClusterTest extends ClusterMachinesFixture {

    private static final String WORKS_UNTIL_LOST = """
            if [ $resumed = no ]; then
                echo changed >>a.txt
                echo fresh >new.txt
                say half-way
                while :; do sleep 0.2; done
            fi
            grep -q half-way "$kept/$session.jsonl" && say remembered
            [ -f new.txt ] && say "files-$(cat new.txt)-$(tail -n 1 a.txt)"
            result finished
            """;

    /** Waits until its transfer bundle is uploaded. */
    private void awaitPacked(ClusterMachine any, RunRecord run, String text, String file) {
        awaitSaid(run, text);
        awaitWork(any, run, file);
    }

    private ClusterMachine other(RunRecord run, ClusterMachine one, ClusterMachine two) {
        return node(run).equals(one.name) ? two : one;
    }

    @Test
    void a_run_whose_machine_is_lost_continues_elsewhere_with_its_conversation_and_files() throws IOException {
        clusterMachines.doing(WORKS_UNTIL_LOST);
        var one = clusterMachines.machine("one");
        var two = clusterMachines.machine("two");
        var run = awaitRunning(one, one.start(one.clone.resolve("sub"), true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        assertThat(run.cwd()).isEqualTo(had.home.worktree(run.id()).resolve("sub"));
        awaitPacked(takes, run, "half-way", "sub/new.txt");
        had.die();
        clusterMachines.graceIsOver();

        var ended = takes.awaitEnd(run);

        assertThat(ended.status())
                .as("%s %s", takes.timeline(run), ended.latest().evidence())
                .isEqualTo(Status.COMPLETED);
        assertThat(ended.latest().n()).isEqualTo(2);
        assertThat(node(ended)).isEqualTo(takes.name);
        assertThat(ended.cwd()).isEqualTo(takes.home.worktree(run.id()).resolve("sub"));
        assertThat(takes.said(run))
                .contains("half-way", "resumed on " + takes.name, "remembered", "files-fresh-changed");
        assertThat(takes.service.runWorktrees().changed(ended).orElseThrow())
                .extracting(changed -> changed.path().toString())
                .contains("sub/new.txt");
    }

    @Test
    void the_notice_of_a_relocated_run_warns_that_outside_effects_may_have_happened_twice() throws IOException {
        clusterMachines.doing(WORKS_UNTIL_LOST);
        var one = clusterMachines.machine("one");
        var two = clusterMachines.machine("two");
        var run = awaitRunning(one, one.start(one.clone, true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        awaitPacked(takes, run, "half-way", "new.txt");
        had.die();
        clusterMachines.graceIsOver();
        takes.awaitEnd(run);

        var pending = takes.service.inbox(Optional.of(ClusterMachines.PARENT), ClusterMachines.OPERATOR);

        assertThat(pending).hasSize(1);
        assertThat(NoticeDigest.of(pending)).contains("restarted after a loss", "may have happened twice");
        assertThat(Files.readString(takes.home.run(run.id()).attempt(2).prompt()))
                .contains("its machine was lost", "may or may not have taken effect");
        assertThat(takes.timeline(run)).contains("moved: from %s to %s".formatted(had.name, takes.name));
    }

    @Test
    void a_run_that_cannot_continue_is_abandoned_and_its_files_can_be_downloaded_elsewhere() throws IOException {
        var one = clusterMachines.machine("one");
        var two = clusterMachines.machine("two");
        var script = "echo saved >kept.txt; while :; do sleep 0.2; done";
        var task = new Task(List.of("sh", "-c", script), Optional.empty());
        var run = awaitRunning(one, one.start("command", task, one.clone, true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        awaitWork(takes, run, "kept.txt");
        had.die();
        clusterMachines.graceIsOver();

        var ended = takes.awaitEnd(run);

        assertThat(ended.status()).isEqualTo(Status.ABANDONED);
        assertThat(ended.latest().cause()).contains(Cause.WORKER_LOST);
        assertThat(ended.latest().evidence().orElseThrow().note().orElseThrow())
                .contains(had.name, "roost restore " + run.id());
        assertThat(takes.service.runWorktrees().changed(ended))
                .as("whose bundle is not on this node")
                .isEmpty();
        assertThatThrownBy(() -> takes.service.runWorktrees().restore(ended, Optional.empty(), Optional.of(1)))
                .hasMessageContaining("on " + had.name);
        var place = takes.service.runWorktrees().restore(ended, Optional.empty(), Optional.empty());
        assertThat(place).isEqualTo(takes.home.worktree(run.id()));
        assertThat(place.resolve("kept.txt")).hasContent("saved\n");

        Files.writeString(place.resolve("mine.txt"), "by hand\n");
        var result = takes.service
                .maintenance()
                .prune(new PruneRequest(Duration.ZERO, OptionalLong.empty(), true, true, true, false));
        assertThat(result.runs()).as("runs of the other node").isEmpty();
        assertThat(result.elsewhere()).extracting(PruneResult.RemoteRuns::node).containsExactly(had.name);
        assertThat(place).doesNotExist();
        var ref = ClusterMachines.git(
                takes.clone,
                "for-each-ref",
                "--sort=-version:refname",
                "--format=%(refname)",
                "refs/roost/" + run.id());
        assertThat(ClusterMachines.git(
                        takes.clone,
                        "ls-tree",
                        "--name-only",
                        ref.lines().findFirst().orElseThrow()))
                .contains("kept.txt", "mine.txt");
        assertThat(takes.timeline(run)).anyMatch(line -> line.startsWith("worktree: removed on " + takes.name));
    }

    @Test
    void with_a_checkpoint_remote_the_work_is_fetched_from_it() throws IOException {
        clusterMachines.doing(WORKS_UNTIL_LOST).pushingTo("origin");
        var one = clusterMachines.machine("one");
        var two = clusterMachines.machine("two");
        var run = awaitRunning(one, one.start(one.clone, true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        awaitPacked(takes, run, "half-way", "new.txt");
        await().atMost(ClusterMachines.SOON)
                .untilAsserted(() -> assertThat(onShelf(run, SharedFileName.WORK))
                        .contains("\"remote\":\"origin\"")
                        .doesNotContain("bundle"));
        assertThatThrownBy(
                        () -> takes.service.runWorktrees().restore(takes.show(run), Optional.empty(), Optional.empty()))
                .hasMessageContaining("is live, and its worktree is on " + had.name);
        had.die();
        clusterMachines.graceIsOver();

        var ended = takes.awaitEnd(run);

        assertThat(ended.status()).as("%s", takes.timeline(run)).isEqualTo(Status.COMPLETED);
        assertThat(takes.said(run)).contains("remembered", "files-fresh-changed");
        await().atMost(ClusterMachines.SOON)
                .untilAsserted(() -> assertThat(takes.show(run).work().flatMap(WorktreeRecord::trouble))
                        .isEmpty());
    }

    @Test
    void a_run_lost_again_just_after_its_relocation_continues_with_its_conversation() throws IOException {
        clusterMachines.doing(WORKS_UNTIL_LOST);
        var desk = clusterMachines.front("desk", true);
        var one = clusterMachines.machine("one");
        var run = awaitRunning(one, one.start(one.clone, true));
        awaitPacked(one, run, "half-way", "new.txt");
        one.die();
        var hanging = new Hanging(FaultPoints.Step.WORKTREE);
        var two = clusterMachines.disturbedBy(hanging).machine("two");
        clusterMachines.graceIsOver();
        await().atMost(ClusterMachines.SOON).until(hanging::isReached);
        assertThat(desk.timeline(run)).contains("moved: from one to two");
        two.die();
        clusterMachines.graceIsOver();
        await().atMost(ClusterMachines.SOON).until(() -> desk.show(run).latest().n() == 3);
        assertThat(two.user.resolve(".claude"))
                .as("it had not been unpacked yet")
                .doesNotExist();
        clusterMachines.disturbedBy(FaultPoints.NONE);
        two.comeBack();

        var ended = two.awaitEnd(run);

        assertThat(ended.status())
                .as("%s %s", two.timeline(run), ended.latest().evidence())
                .isEqualTo(Status.COMPLETED);
        assertThat(ended.latest().n()).isEqualTo(3);
        assertThat(node(ended)).isEqualTo("two");
        assertThat(two.said(run)).contains("half-way", "remembered", "files-fresh-changed");
        assertThat(two.timeline(run))
                .filteredOn(line -> line.startsWith("moved: "))
                .hasSize(1);
    }

    /** Blocks at a fault point until its machine is lost. */
    private static final class Hanging implements FaultPoints {
        private final Step at;
        private final CountDownLatch reached = new CountDownLatch(1);

        Hanging(Step at) {
            this.at = at;
        }

        boolean isReached() {
            return reached.getCount() == 0;
        }

        @Override
        public void before(List<Step> steps) {
            if (!steps.contains(at)) return;
            reached.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("its machine is gone", e);
            }
        }

        @Override
        public void after(List<Step> steps) {}
    }

    @Test
    void a_run_that_returns_to_its_first_machine_gets_the_state_of_the_second() throws IOException {
        clusterMachines.doing("""
                case $ROOST_ATTEMPT in
                1) echo first >new.txt; say on-the-first; while :; do sleep 0.2; done ;;
                2) echo second >new.txt; touch later.txt; say on-the-second; while :; do sleep 0.2; done ;;
                esac
                said=$(grep -oE 'on-the-first|on-the-second|never-packed' "$kept/$session.jsonl" | paste -sd ' ')
                result "$said $(cat new.txt) $(ls stale.txt)"
                """);
        var one = clusterMachines.machine("one");
        var run = awaitRunning(one, one.start(one.clone, true));
        awaitPacked(one, run, "on-the-first", "new.txt");
        one.die();
        var conversation = conversation(one);
        Files.writeString(conversation, "{\"said\":\"never-packed\"}\n", StandardOpenOption.APPEND);
        Files.writeString(one.home.worktree(run.id()).resolve("stale.txt"), "stale\n");
        var two = clusterMachines.machine("two");
        clusterMachines.graceIsOver();
        awaitSaid(run, "on-the-second");
        awaitWork(two, run, "later.txt");
        one.comeBack();
        two.die();
        clusterMachines.graceIsOver();

        var ended = one.awaitEnd(run);

        assertThat(ended.status()).as("%s", one.timeline(run)).isEqualTo(Status.COMPLETED);
        assertThat(node(ended)).isEqualTo("one");
        assertThat(one.service
                        .output(ended, OutputPage.Request.now())
                        .result()
                        .orElseThrow()
                        .strip())
                .as("%s", one.timeline(run))
                .isEqualTo("on-the-first on-the-second second");
        assertThat(conversation.resolveSibling(conversation.getFileName() + ".roost-before"))
                .content()
                .contains("never-packed");
        var refs = ClusterMachines.git(one.clone, "for-each-ref", "--format=%(refname)", "refs/roost/" + run.id());
        assertThat(refs.lines()
                        .filter(ref -> ClusterMachines.git(one.clone, "ls-tree", "--name-only", ref)
                                .contains("stale.txt")))
                .as("kept, but not continued from")
                .isNotEmpty();
    }

    private static Path conversation(ClusterMachine clusterMachine) throws IOException {
        try (var files = Files.walk(clusterMachine.user.resolve(".claude/projects"))) {
            return files.filter(file -> file.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
