package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.PostgresServer;
import dev.roost.daemon.testing.DaemonCluster;
import dev.roost.daemon.testing.DaemonNode;
import dev.roost.daemon.testing.NetworkLink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The wire between a worker and the database is cut, while both live. */
class DaemonNetworkCutClusterTest {

    /** Longer than a short cut takes on the slowest machine. */
    private static final int LONG_GRACE = 300;

    @TempDir
    Path scratch;

    @Test
    void a_short_network_cut_changes_nothing_and_a_long_one_fences_the_worker() throws Exception {
        try (var postgres = PostgresServer.create();
                var networkLink = new NetworkLink()) {
            postgres.listenAlsoOn(networkLink.address(), networkLink.range());
            var url = postgres.newDatabase();
            try (var cluster = new DaemonCluster(scratch, url, new DaemonCluster.Limits(10, 10, 10), LONG_GRACE)) {
                var front = cluster.front();
                var worker =
                        cluster.join("w1", url.replace("127.0.0.1", networkLink.address()), true, networkLink.prefix());
                try {
                    aShortCut(cluster, networkLink, front, worker);
                    cluster.execute(
                            "UPDATE node SET grace = interval '%d seconds'".formatted(DaemonCluster.GRACE_SECONDS));
                    aLongCut(cluster, networkLink, front, worker);
                } catch (Exception | AssertionError e) {
                    throw new AssertionError(
                            "%s\n%s\n%s"
                                    .formatted(
                                            cluster.rows("SELECT run_id, n, status, cause, node FROM attempt"),
                                            front.said(),
                                            worker.said()),
                            e);
                }
            }
        }
    }

    private void aShortCut(DaemonCluster cluster, NetworkLink networkLink, DaemonNode front, DaemonNode worker)
            throws IOException {
        var run = start(cluster, front, "short");
        awaitBegun(cluster, List.of(run));
        networkLink.cut();
        awaitUnheard(cluster, worker, "1500 milliseconds");
        networkLink.mend();
        awaitHeard(cluster, worker);
        assertThat(cluster.rows("SELECT n, status, node FROM attempt WHERE run_id = '%s'".formatted(run)))
                .containsExactly(List.of("1", "running", "w1"));
        assertThat(worker.alive()).containsExactly(run);
        open("short");
        await().atMost(DaemonCluster.LATE)
                .untilAsserted(() -> assertThat(
                                cluster.rows("SELECT n, status, cause FROM attempt WHERE run_id = '%s'".formatted(run)))
                        .containsExactly(List.of("1", "completed", "finished")));
    }

    /** The other nodes end its runs; later actions of its agents and its late writes are discarded. */
    private void aLongCut(DaemonCluster cluster, NetworkLink networkLink, DaemonNode front, DaemonNode worker)
            throws IOException {
        var runs = new ArrayList<String>();
        for (int i = 0; i < 3; i++) runs.add(start(cluster, front, "long" + i));
        awaitBegun(cluster, runs);
        for (var run : runs) awaitSaid(front, run);
        networkLink.cut();
        await().atMost(DaemonCluster.LATE).until(() -> cluster.runningOn(worker).isEmpty());
        var ends = ends(cluster);
        assertThat(ends)
                .filteredOn(end -> runs.contains(end.getFirst()))
                .hasSize(3)
                .allSatisfy(end -> assertThat(end).contains("abandoned", "worker_lost", "front"));
        assertThat(worker.alive()).as("the worker cannot know").containsExactlyInAnyOrderElementsOf(runs);
        open("long0"); // an agent that ends well, and too late
        await().atMost(DaemonCluster.LATE)
                .until(() -> Files.size(worker.home.resolve("runs/%s/1/exit".formatted(runs.getFirst()))) > 0);

        networkLink.mend();

        await("agents that are nobody's")
                .atMost(DaemonCluster.LATE)
                .until(() -> worker.alive().isEmpty());
        awaitHeard(cluster, worker);
        var again = start(cluster, front, "again");
        open("again");
        await().atMost(DaemonCluster.LATE)
                .untilAsserted(() -> assertThat(
                                cluster.rows("SELECT status, node FROM attempt WHERE run_id = '%s'".formatted(again)))
                        .containsExactly(List.of("completed", "w1")));
        assertThat(ends(cluster)).as("late writes").containsAll(ends);
        assertThat(cluster.count("SELECT count(*) FROM notice WHERE kind = 'ended'"))
                .isEqualTo(5);
        for (var run : runs) {
            var said = front.call("output", DaemonCluster.operator().put("run_id", run));
            assertThat(said.path("status").asString()).isEqualTo("abandoned");
            assertThat(said.path("result").asString("") + said.path("text").asString(""))
                    .doesNotContain("opened");
            assertThat(Path.of(said.path("output_file").asString()))
                    .content()
                    .contains("began")
                    .doesNotContain("opened");
        }
    }

    private static List<List<String>> ends(DaemonCluster cluster) {
        return cluster.rows("SELECT run_id, n, status, cause, evidence, ended_at, result, node FROM attempt_ended");
    }

    private String start(DaemonCluster cluster, DaemonNode front, String gate) throws IOException {
        var script = "echo began; while [ ! -e \"$SCRATCH/%s\" ]; do sleep 0.1; done; echo opened".formatted(gate);
        return front.call("start", cluster.task("claude:one", script))
                .path("run_id")
                .asString();
    }

    private void open(String gate) throws IOException {
        Files.createFile(scratch.resolve(gate));
    }

    private static void awaitBegun(DaemonCluster cluster, List<String> runs) {
        await().atMost(DaemonCluster.LATE)
                .until(() -> cluster.column("SELECT run_id FROM attempt_live WHERE agent_pid IS NOT NULL")
                        .containsAll(runs));
    }

    /** Its output reaches the other nodes a moment later than its start. */
    private static void awaitSaid(DaemonNode front, String run) {
        await().atMost(DaemonCluster.LATE)
                .until(() -> front.call("output", DaemonCluster.operator().put("run_id", run))
                        .path("text")
                        .asString("")
                        .contains("began"));
    }

    private static void awaitUnheard(DaemonCluster cluster, DaemonNode node, String since) {
        await().atMost(DaemonCluster.LATE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> cluster.column(
                                "SELECT clock_timestamp() - heard_at > interval '%s' FROM node WHERE name = '%s'"
                                        .formatted(since, node.name))
                        .equals(List.of("t")));
    }

    private static void awaitHeard(DaemonCluster cluster, DaemonNode node) {
        await().atMost(DaemonCluster.LATE)
                .until(() -> cluster.column(
                                "SELECT lease_until > clock_timestamp() + interval '1 second' FROM node WHERE name = '%s'"
                                        .formatted(node.name))
                        .equals(List.of("t")));
    }
}
