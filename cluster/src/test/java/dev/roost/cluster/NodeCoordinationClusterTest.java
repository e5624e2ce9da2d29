package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.cluster.testing.ClusterMachines;
import dev.roost.cluster.testing.TwoMachineFixture;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import dev.roost.model.Status;
import dev.roost.output.OutputPage;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How the nodes of a cluster cooperate. */
class NodeCoordinationClusterTest extends TwoMachineFixture {

    private void grace(String name, String time) {
        clusterMachines.execute("UPDATE node SET grace = interval '%s' WHERE name = '%s'".formatted(time, name));
    }

    private String waits(RunRecord run) {
        return one.service.waitReasons(List.of(one.show(run))).getOrDefault(run.id(), "");
    }

    @Test
    void a_run_for_a_missing_tag_waits_with_a_reason_and_starts_when_a_node_with_it_joins() throws IOException {
        var run = one.start("command", sh("echo at last"), one.clone, false, "at-three");
        assertThat(waits(run)).isEqualTo("no node has the tag at-three");
        assertThatThrownBy(() -> one.start("command", sh("true"), one.user, false, "at-two"))
                .as("on the node without the directory")
                .isInstanceOf(Refusal.class);
        assertThatThrownBy(() -> one.start("command", sh("true"), one.clone, false, "no tag"))
                .isInstanceOf(BadInput.class);

        clusterMachines.machine("three");

        assertThat(one.awaitEnd(run).latest().node()).contains("three");
    }

    @Test
    void a_run_stopped_before_its_placement_has_finalized_output_on_every_node() {
        var run = one.start("command", sh("true"), one.clone, false, "at-three");
        two.service.stop(two.show(run), ClusterMachines.OPERATOR);
        await().atMost(ClusterMachines.SOON).until(() -> count("attempt WHERE output_sealed = 0") == 0);
        for (var clusterMachine : List.of(one, two)) {
            clusterMachine.service.output(clusterMachine.show(run), OutputPage.Request.now());
            assertThat(clusterMachine.home.run(run.id()).output()).content().contains("canceled_by_user");
        }
    }

    @Test
    void a_run_that_waits_for_a_node_names_the_node_and_the_reason() {
        one.service.nodes().drain(Optional.of("two"), false);
        var run = one.start("command", sh("true"), one.clone, false, "at-two");
        assertThat(waits(run)).isEqualTo("only two, which is drained, can start it");
        one.service.nodes().resume("two");
        assertThat(one.awaitEnd(run).latest().node()).contains("two");
        assertThat(waits(run)).isEmpty();

        two.die();
        unheard("two");
        var next = one.start("command", sh("true"), one.clone, false, "at-two");
        assertThat(waits(next))
                .startsWith("only two, whose last heartbeat was at ")
                .endsWith(", can start it");
        two.comeBack();
        assertThat(one.awaitEnd(next).latest().node()).contains("two");
    }

    @Test
    void calls_do_not_wait_for_a_node_that_is_away_and_messages_to_it_are_stored() throws IOException {
        var command = one.start("command", sh("sleep 600"), one.clone, false, "at-two");
        var agent = one.start("scripted", new Task(List.of(), Optional.of("do it")), one.clone, true, "at-two");
        for (var run : List.of(command, agent))
            await().atMost(ClusterMachines.SOON)
                    .until(() -> one.show(run).latest().began().isPresent());
        grace("two", "1 hour");
        two.die();
        unheard("two");

        var stopped = one.service.stop(one.show(command), ClusterMachines.OPERATOR);
        var sent = one.service.send(one.show(agent), "and the tests, too", ClusterMachines.OPERATOR);

        for (var run : List.of(stopped, sent)) {
            assertThat(run.status()).isEqualTo(Status.RUNNING);
            assertThat(one.service.waitReasons(List.of(run)).get(run.id()))
                    .startsWith("its node two has sent no heartbeat since ")
                    .contains("messages to it are stored");
        }
        grace("two", "8 seconds");
        clusterMachines.graceIsOver();
        assertThat(one.awaitEnd(command).status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(one.awaitEnd(agent).status()).isEqualTo(Status.ABANDONED);
        assertThat(clusterMachines.column("SELECT body FROM message")).containsExactly("and the tests, too");
    }

    @Test
    void a_run_whose_node_cannot_prepare_its_directory_is_given_up_eventually() throws IOException {
        var run = one.start("command", sh("true"), one.clone, false, "at-three");
        var planted = Files.createDirectories(clusterMachines.root.resolve("three/roost/runs"));
        Files.createFile(planted.resolve(run.id().text()));
        var three = clusterMachines.machine("three");

        await().atMost(ClusterMachines.SOON).until(() -> {
            three.service.sweep();
            return one.show(run).status().ended();
        });

        var ended = one.show(run);
        assertThat(ended.status()).isEqualTo(Status.FAILED);
        assertThat(ended.latest().cause()).contains(Cause.SPAWN_FAILED);
        assertThat(ended.latest().evidence().orElseThrow().note().orElseThrow())
                .contains("could not be started on three after 30 tries", "none of its files were uploaded");
        assertThat(one.service.inbox(Optional.of(ClusterMachines.PARENT), ClusterMachines.OPERATOR))
                .hasSize(1);
    }

    @Test
    void a_wait_for_the_end_of_a_remote_run_ends_without_a_notification() {
        clusterMachines.execute("""
                INSERT INTO run (id, owner, agent, driver, description, cwd, max_output, on_loss, attempt, created_at, holder)
                VALUES ('r_000000000001', 'claude:parent', 'command', 'command', 'sleep', '/', 1000000, 'report', 1, 1000, 'three')
                """);
        clusterMachines.execute("""
                INSERT INTO attempt (run_id, n, status, phase, created_at, started_at, node)
                VALUES ('r_000000000001', 1, 'running', 'working', 1000, 1000, 'three')
                """);
        var run = two.service.find("r_000000000001", ClusterMachines.OPERATOR);
        var end = new OutputPage.Request(Optional.empty(), 0, OutputPage.WaitMode.END, Duration.ofHours(1));
        var waits = new FutureTask<>(() -> two.service.output(run, end));
        var waiter = Thread.ofPlatform().daemon().start(waits);
        await().atMost(ClusterMachines.SOON)
                .until(() -> Stream.of(waiter.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().startsWith("dev.roost.")
                                && frame.getMethodName().equals("await")));

        clusterMachines.execute("""
                UPDATE attempt SET status = 'failed', phase = NULL, cause = 'exit_code', evidence = '{}', ended_at = 2000,
                                   result_bytes = 0, output_sealed = 1
                """);

        assertThat(waits)
                .succeedsWithin(ClusterMachines.SOON)
                .satisfies(output -> assertThat(output.run().status()).isEqualTo(Status.FAILED));
    }

    @Test
    void other_nodes_are_notified_only_of_notices_and_write_nothing_for_them() throws IOException {
        var notified = new ConcurrentLinkedQueue<String>();
        two.service.onNotice(() -> notified.add("two"));
        String untilTold = "while [ ! -e %s/go ]; do sleep 0.05; done".formatted(clusterMachines.root);
        var run = one.start("command", sh(untilTold), one.clone, false, "at-one");
        await().atMost(ClusterMachines.SOON)
                .until(() -> one.show(run).latest().began().isPresent());
        var seen = new AtomicReference<List<String>>(List.of());
        await("until it has nothing left to write of what went before")
                .atMost(ClusterMachines.SOON)
                .pollInterval(Duration.ofSeconds(2))
                .until(() -> {
                    var now = mark("two");
                    return now.equals(seen.getAndSet(now));
                });
        var written = seen.get();

        clusterMachines.signal("go");

        assertThat(two.awaitEnd(run).status()).isEqualTo(Status.COMPLETED_EMPTY);
        await().atMost(ClusterMachines.SOON).until(() -> !notified.isEmpty());
        assertThat(notified).hasSize(1);
        assertThat(mark("two")).isEqualTo(written);
    }

    private List<String> mark(String node) {
        return clusterMachines.column("SELECT mark FROM writer WHERE node = '%s'".formatted(node));
    }

    private static final int MANY = 300;

    @Test
    void a_node_that_takes_over_many_runs_keeps_its_own_lease() {
        clusterMachines.execute("""
                INSERT INTO node (name, home, boot, version, labels, max_live, state, joined_at, heard_at, steady_since, lease_until,
                                  grace)
                SELECT 'dead', 'dead', boot, version, '{}', 1000, 'member', joined_at, joined_at - interval '1 hour',
                       joined_at - interval '2 hours', joined_at - interval '1 hour', grace FROM node WHERE name = 'one'
                """);
        clusterMachines.execute("""
                INSERT INTO run (id, owner, agent, driver, description, cwd, max_output, on_loss, attempt, created_at, holder)
                SELECT 'r_' || lpad(i::text, 12, '0'), 'claude:parent', 'command', 'command', 'sleep', '/', 1000000, 'report', 1, 1000,
                       'dead' FROM generate_series(1, %d) AS i
                """.formatted(MANY));
        clusterMachines.execute("""
                INSERT INTO attempt (run_id, n, status, phase, created_at, started_at, node, boot_id, perch_pid, perch_start,
                                     agent_pid, agent_start, began_mono_ns, began_slept_ns)
                SELECT id, 1, 'running', 'working', 1000, 1000, 'dead', 'gone', 1, 1, 2, 2, 1, 0 FROM run
                """);
        clusterMachines.execute("""
                INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, picked_by, version)
                SELECT 'start', 'dead/' || id || '/' || n, joined_at, TRUE, 'dead', 1
                  FROM (VALUES ('r_000000000001', 1), ('r_000000000999', 1)) AS live_and_over (id, n), node WHERE name = 'dead'
                """);
        clusterMachines.graceIsOver(); // the two renewed steadily
        var since = "SELECT name || ' ' || steady_since FROM node WHERE name IN ('one', 'two') ORDER BY name";
        var before = clusterMachines.column(since);

        await().atMost(ClusterMachines.SOON)
                .untilAsserted(() -> assertThat(count("attempt WHERE status = 'abandoned' AND cause = 'worker_lost'"))
                        .isEqualTo(MANY));

        assertThat(clusterMachines.column(since))
                .as("no lease expired in between")
                .isEqualTo(before);
        assertThat(count("notice")).isEqualTo(MANY);
        assertThat(count("scheduled_tasks")).as("its pending starts").isZero();
    }
}
