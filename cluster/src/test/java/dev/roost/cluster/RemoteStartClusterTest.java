package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.cluster.testing.ClusterMachines;
import dev.roost.cluster.testing.ClusterMachinesFixture;
import dev.roost.model.Cause;
import dev.roost.model.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** A run submitted on one machine works on another: in which directory, at which commit, and with which messages. */
class RemoteStartClusterTest extends ClusterMachinesFixture {

    @Test
    void a_front_that_has_neither_directory_nor_clone_starts_runs_in_a_directory_of_a_worker() throws IOException {
        var desk = clusterMachines.front("desk", false);
        var one = clusterMachines.machine("one");
        var pwd = new Task(List.of("pwd"), Optional.empty());
        var sub = one.clone.resolve("sub");

        desk.service.nodes().drain(Optional.of("one"), false);
        var aside =
                Files.move(one.clone, one.clone.resolveSibling("aside")); // all machines of this test share one disk
        var first = desk.start("command", pwd, sub, false);
        var second = desk.start("command", pwd, sub, true);
        Files.move(aside, one.clone);
        desk.service.nodes().resume("one");
        var there = desk.awaitEnd(first);
        var apart = desk.awaitEnd(second);

        assertThat(desk.said(there)).contains(sub.toString());
        assertThat(apart.status()).as("%s", apart.latest().evidence()).isEqualTo(Status.COMPLETED);
        assertThat(desk.said(apart))
                .contains(one.home.worktree(apart.id()).resolve("sub").toString());
        var head = ClusterMachines.git(one.clone, "rev-parse", "HEAD");
        assertThat(apart.work().orElseThrow().place().base()).isEqualTo(head);
        assertThat(desk.timeline(apart)).anyMatch(line -> line.startsWith("worktree: it begins at " + head));
        awaitWork(desk, apart, "a.txt");
        var back = desk.service
                .runWorktrees()
                .restore(desk.show(apart), Optional.of(desk.user.resolve("back")), Optional.empty());
        assertThat(back.resolve("sub/b.txt")).hasContent("two\n");
        assertThatThrownBy(() -> desk.start("command", pwd, clusterMachines.root.resolve("nowhere"), true))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining("nowhere");
    }

    @Test
    void a_run_gets_its_worktree_from_the_clone_of_its_node_at_the_commit_of_its_caller() throws IOException {
        var front = clusterMachines.front("front", true);
        var one = clusterMachines.machine("one");
        ClusterMachines.git(front.clone, "checkout", "-q", "-b", "topic");
        Files.writeString(front.clone.resolve("later.txt"), "later\n");
        ClusterMachines.git(front.clone, "add", "-A");
        ClusterMachines.git(front.clone, "commit", "-q", "-m", "later");
        ClusterMachines.git(front.clone, "push", "-q", "origin", "topic");
        var task = new Task(List.of("sh", "-c", "cat ../later.txt; pwd"), Optional.empty());

        var ended = front.awaitEnd(front.start("command", task, front.clone.resolve("sub"), true));

        assertThat(ended.status()).as("%s", ended.latest().evidence()).isEqualTo(Status.COMPLETED);
        assertThat(node(ended)).isEqualTo("one");
        var place = ended.work().orElseThrow().place();
        assertThat(place.base()).isEqualTo(ClusterMachines.git(front.clone, "rev-parse", "HEAD"));
        assertThat(place.target()).contains("topic");
        assertThat(place.common()).isEqualTo(one.clone.resolve(".git"));
        assertThat(front.said(ended))
                .contains("later", one.home.worktree(ended.id()).resolve("sub").toString());
    }

    @Test
    void a_commit_that_exists_only_in_one_clone_is_named_when_a_run_needs_it_elsewhere() throws IOException {
        var front = clusterMachines.front("front", true);
        clusterMachines.machine("one");
        ClusterMachines.git(front.clone, "commit", "-q", "--allow-empty", "-m", "never pushed");
        var task = new Task(List.of("true"), Optional.empty());

        var ended = front.awaitEnd(front.start("command", task, front.clone, true));

        assertThat(ended.status()).isEqualTo(Status.FAILED);
        assertThat(ended.latest().cause()).contains(Cause.SPAWN_FAILED);
        assertThat(ended.latest().evidence().orElseThrow().note().orElseThrow())
                .contains(ClusterMachines.git(front.clone, "rev-parse", "HEAD"));
    }

    @Test
    void a_run_at_an_unpushed_commit_stays_on_its_node() throws IOException {
        var one = clusterMachines.machine("one");
        clusterMachines.machine("two");
        ClusterMachines.git(one.clone, "commit", "-q", "--allow-empty", "-m", "never pushed");
        var task = new Task(List.of("git", "log", "-1", "--format=%s"), Optional.empty());

        var ended = one.awaitEnd(one.start("command", task, one.clone, true));

        assertThat(node(ended)).isEqualTo("one");
        assertThat(one.said(ended)).contains("never pushed");
    }

    @Test
    void a_run_without_a_worktree_works_in_the_checkout_of_its_node() throws IOException {
        var front = clusterMachines.front("front", true);
        var one = clusterMachines.machine("one");
        var task = new Task(List.of("pwd"), Optional.empty());

        var ended = front.awaitEnd(front.start("command", task, front.clone.resolve("sub"), false));

        assertThat(ended.cwd()).isEqualTo(one.clone.resolve("sub"));
        assertThat(front.said(ended)).contains(one.clone.resolve("sub").toString());
    }

    @Test
    void ending_a_run_whose_files_another_node_has_removes_none_of_them() throws IOException {
        clusterMachines.doing("say first-words; result done");
        var one = clusterMachines.machine("one");
        var front = clusterMachines.front("front", true);
        var desk = clusterMachines.front("desk", false);
        var run = one.awaitEnd(one.start(one.clone, true));
        for (int i = 0; i < one.maxLive; i++)
            awaitRunning(
                    one, one.start("command", new Task(List.of("sleep", "1000"), Optional.empty()), one.clone, false));

        front.service.send(front.show(run), "go on", ClusterMachines.OPERATOR);
        assertThat(front.show(run).status()).isEqualTo(Status.QUEUED);
        desk.service.stop(desk.show(run), ClusterMachines.OPERATOR);

        assertThat(one.show(run).status()).isEqualTo(Status.CANCELED_BY_USER);
        for (var any : List.of(desk, front, one))
            assertThat(any.said(run)).as(any.name).contains("first-words");
        assertThat(Files.readString(one.home.run(run.id()).output())).contains("first-words", "canceled_by_user: ");
    }

    @Test
    void of_two_concurrent_continues_on_two_nodes_one_is_refused_and_the_other_is_delivered() throws Exception {
        // messages may also arrive while it works on others
        clusterMachines.doing("""
                hear() { printf '%s\\n' "$1" >>$SIGNALS/prompts; say ok; result done; }
                hear "$prompt"
                while read -r more; do hear "$more"; done
                """);
        var one = clusterMachines.machine("one");
        var fronts = List.of(clusterMachines.front("left", true), clusterMachines.front("right", true));
        var run = one.awaitEnd(one.start(one.clone, true));
        var accepted = new ConcurrentLinkedQueue<String>();
        var refused = new ConcurrentLinkedQueue<String>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var front : fronts)
                threads.execute(() -> {
                    try {
                        front.service.send(front.show(run), "words of " + front.name, ClusterMachines.OPERATOR);
                        accepted.add("words of " + front.name);
                    } catch (Refusal no) {
                        refused.add(no.code());
                    }
                });
        }
        assertThat(accepted).isNotEmpty();
        assertThat(refused).hasSize(2 - accepted.size()).allMatch("not_started"::equals);
        await().atMost(ClusterMachines.SOON).untilAsserted(() -> assertHeard(accepted));
        one.awaitEnd(run);
        assertHeard(accepted);
    }

    /** Each of these messages arrived once, and no other. */
    private void assertHeard(Collection<String> words) throws IOException {
        var prompts = Files.readString(clusterMachines.root.resolve("prompts"));
        assertThat(prompts).contains(List.copyOf(words));
        assertThat(prompts.split("words of", -1)).hasSize(words.size() + 1);
    }

    @Test
    void a_refused_start_leaves_no_order_behind() throws IOException {
        var one = clusterMachines.machine("one");
        var task = new Task(List.of("sleep", "1000"), Optional.empty());
        awaitRunning(one, one.startNamed("same", task));
        assertThatThrownBy(() -> one.startNamed("same", task)).isInstanceOf(Refusal.class);
        assertThat(clusterMachines.column("SELECT run_id FROM job")).hasSize(1);
    }
}
