package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.cluster.Machines.Machine;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Cause;
import dev.roost.run.Status;
import dev.roost.sessions.Digest;
import dev.roost.shelf.ShelfName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run whose machine is lost goes on on another one: its conversation and its files are there. */
class MovingTest {

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

    @TempDir
    Path scratch;

    private Machines machines;

    @BeforeEach
    void setUp() throws IOException {
        machines = new Machines(scratch);
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    private static String node(Run run) {
        return run.latest().node().orElse("");
    }

    /** Waits until all that it needs elsewhere is kept. */
    private void awaitPacked(Machine any, Run run, String file) {
        await().atMost(Machines.SOON)
                .untilAsserted(() -> assertThat(stowed(run)).contains(ShelfName.CONVERSATION));
        awaitWork(any, run, file);
    }

    /** Waits until a checkpoint with this file in it is where others find it. */
    private void awaitWork(Machine any, Run run, String file) {
        await().atMost(Machines.SOON).untilAsserted(() -> {
            var work = any.show(run).work().orElseThrow();
            var ref = work.rescue().map(Work.Rescue::ref).orElse("HEAD");
            assertThat(Machines.git(work.place().common(), "ls-tree", "-r", "--name-only", ref))
                    .contains(file);
            assertThat(stowed(run)).contains(ShelfName.WORK);
        });
    }

    private List<ShelfName> stowed(Run run) {
        return new PostgresShelf(Address.parse(machines.address).source("a test", 0))
                .list(run.id()).stream().map(kept -> kept.name()).toList();
    }

    private Machine other(Run run, Machine one, Machine two) {
        return node(run).equals(one.name) ? two : one;
    }

    private Run awaitRunning(Machine machine, Run run) {
        await().atMost(Machines.SOON)
                .until(() -> machine.show(run).latest().began().isPresent());
        return machine.show(run);
    }

    @Test
    void a_run_whose_machine_is_lost_goes_on_elsewhere_with_its_conversation_and_its_files() throws IOException {
        machines.doing(WORKS_UNTIL_LOST);
        var one = machines.machine("one");
        var two = machines.machine("two");
        var run = awaitRunning(one, one.start(one.clone.resolve("sub"), true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        assertThat(run.cwd()).isEqualTo(had.home.worktree(run.id()).resolve("sub"));
        awaitPacked(takes, run, "sub/new.txt");
        had.die();

        var ended = takes.awaitEnd(run);

        assertThat(ended.status())
                .as("%s %s", takes.timeline(run), ended.latest().evidence())
                .isEqualTo(Status.COMPLETED);
        assertThat(ended.latest().n()).isEqualTo(2);
        assertThat(node(ended)).isEqualTo(takes.name);
        assertThat(ended.cwd()).isEqualTo(takes.home.worktree(run.id()).resolve("sub"));
        assertThat(takes.said(run))
                .contains("half-way", "resumed on " + takes.name, "remembered", "files-fresh-changed");
        assertThat(takes.roost.changed(ended).orElseThrow())
                .extracting(changed -> changed.path().toString())
                .contains("sub/new.txt");
    }

    @Test
    void whoever_is_told_of_its_end_hears_that_what_it_did_outside_may_have_been_done_twice() throws IOException {
        machines.doing(WORKS_UNTIL_LOST);
        var one = machines.machine("one");
        var two = machines.machine("two");
        var run = awaitRunning(one, one.start(one.clone, true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        awaitPacked(takes, run, "new.txt");
        had.die();
        takes.awaitEnd(run);

        var pending = takes.roost.inbox(Optional.of(Machines.PARENT), Machines.OPERATOR);

        assertThat(pending).hasSize(1);
        assertThat(Digest.of(pending)).contains("begun again after a loss", "may be there twice");
        assertThat(Files.readString(takes.home.run(run.id()).attempt(2).prompt()))
                .contains("its machine was lost", "may or may not have taken effect");
        assertThat(takes.timeline(run)).contains("moved: from %s to %s".formatted(had.name, takes.name));
    }

    @Test
    void a_run_that_cannot_go_on_is_abandoned_and_its_files_can_be_brought_to_another_machine() throws IOException {
        var one = machines.machine("one");
        var two = machines.machine("two");
        var script = "echo saved >kept.txt; while :; do sleep 0.2; done";
        var task = new Task(List.of("sh", "-c", script), Optional.empty());
        var run = awaitRunning(one, one.start("command", task, one.clone, true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        awaitWork(takes, run, "kept.txt");
        had.die();

        var ended = takes.awaitEnd(run);

        assertThat(ended.status()).isEqualTo(Status.ABANDONED);
        assertThat(ended.latest().cause()).contains(Cause.WORKER_LOST);
        assertThat(ended.latest().evidence().orElseThrow().note().orElseThrow())
                .contains(had.name, "roost restore " + run.id());
        assertThat(takes.roost.changed(ended)).as("that is not here").isEmpty();
        var place = takes.roost.restore(ended, Optional.empty(), Optional.empty());
        assertThat(place).isEqualTo(takes.home.worktree(run.id()));
        assertThat(place.resolve("kept.txt")).hasContent("saved\n");
    }

    @Test
    void a_run_gets_its_worktree_from_the_clone_that_its_node_has_and_at_the_commit_its_caller_was_at()
            throws IOException {
        var front = machines.front("front", true);
        var one = machines.machine("one");
        Machines.git(front.clone, "checkout", "-q", "-b", "topic");
        Files.writeString(front.clone.resolve("later.txt"), "later\n");
        Machines.git(front.clone, "add", "-A");
        Machines.git(front.clone, "commit", "-q", "-m", "later");
        Machines.git(front.clone, "push", "-q", "origin", "topic");
        var task = new Task(List.of("sh", "-c", "cat ../later.txt; pwd"), Optional.empty());

        var ended = front.awaitEnd(front.start("command", task, front.clone.resolve("sub"), true));

        assertThat(ended.status()).as("%s", ended.latest().evidence()).isEqualTo(Status.COMPLETED);
        assertThat(node(ended)).isEqualTo("one");
        var place = ended.work().orElseThrow().place();
        assertThat(place.base()).isEqualTo(Machines.git(front.clone, "rev-parse", "HEAD"));
        assertThat(place.target()).contains("topic");
        assertThat(place.common()).isEqualTo(one.clone.resolve(".git"));
        assertThat(front.said(ended))
                .contains("later", one.home.worktree(ended.id()).resolve("sub").toString());
    }

    @Test
    void a_commit_that_nobody_else_can_have_is_named_when_a_run_would_begin_at_it_elsewhere() throws IOException {
        var front = machines.front("front", true);
        machines.machine("one");
        Machines.git(front.clone, "commit", "-q", "--allow-empty", "-m", "never pushed");
        var task = new Task(List.of("true"), Optional.empty());

        var ended = front.awaitEnd(front.start("command", task, front.clone, true));

        assertThat(ended.status()).isEqualTo(Status.FAILED);
        assertThat(ended.latest().cause()).contains(Cause.SPAWN_FAILED);
        assertThat(ended.latest().evidence().orElseThrow().note().orElseThrow())
                .contains(Machines.git(front.clone, "rev-parse", "HEAD"));
    }

    @Test
    void what_begins_where_nobody_else_can_begin_stays_on_its_node() throws IOException {
        var one = machines.machine("one");
        machines.machine("two");
        Machines.git(one.clone, "commit", "-q", "--allow-empty", "-m", "never pushed");
        var task = new Task(List.of("git", "log", "-1", "--format=%s"), Optional.empty());

        var ended = one.awaitEnd(one.start("command", task, one.clone, true));

        assertThat(node(ended)).isEqualTo("one");
        assertThat(one.said(ended)).contains("never pushed");
    }

    @Test
    void a_run_without_a_worktree_works_in_the_checkout_that_its_node_has() throws IOException {
        var front = machines.front("front", true);
        var one = machines.machine("one");
        var task = new Task(List.of("pwd"), Optional.empty());

        var ended = front.awaitEnd(front.start("command", task, front.clone.resolve("sub"), false));

        assertThat(ended.cwd()).isEqualTo(one.clone.resolve("sub"));
        assertThat(front.said(ended)).contains(one.clone.resolve("sub").toString());
    }

    @Test
    void who_ends_a_run_whose_files_another_node_has_takes_nothing_away_from_them() throws IOException {
        machines.doing("say first-words; result done");
        var one = machines.machine("one");
        var front = machines.front("front", true);
        var desk = machines.front("desk", false);
        var run = one.awaitEnd(one.start(one.clone, true));
        for (int i = 0; i < one.maxLive; i++)
            awaitRunning(
                    one, one.start("command", new Task(List.of("sleep", "1000"), Optional.empty()), one.clone, false));

        front.roost.send(front.show(run), "go on", Machines.OPERATOR);
        assertThat(front.show(run).status()).isEqualTo(Status.QUEUED);
        desk.roost.stop(desk.show(run), Machines.OPERATOR);

        assertThat(one.show(run).status()).isEqualTo(Status.CANCELED_BY_USER);
        for (var any : List.of(desk, front, one))
            assertThat(any.said(run)).as(any.name).contains("first-words");
        assertThat(Files.readString(one.home.run(run.id()).output())).contains("first-words", "canceled_by_user: ");
    }
}
