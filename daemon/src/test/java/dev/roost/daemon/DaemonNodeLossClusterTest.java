package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.PostgresServer;
import dev.roost.daemon.testing.DaemonCluster;
import dev.roost.daemon.testing.DaemonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One worker is lost, or only seems to be. */
class DaemonNodeLossClusterTest {

    private static final DaemonCluster.Limits LIMITS = new DaemonCluster.Limits(10, 10, 10);
    private static final String SAYS = "echo \"$ROOST_RUN_ID $ROOST_ATTEMPT\" >> \"$SCRATCH/executed\"; ";

    @TempDir
    Path scratch;

    @Test
    void a_run_that_a_lost_worker_never_started_starts_only_elsewhere() throws Exception {
        try (var cluster = new DaemonCluster(scratch, PostgresServer.shared().newDatabase(), LIMITS)) {
            var front = cluster.front();
            var first = cluster.worker("w1");
            first.freeze();
            lasts(cluster, first, 120, 120);
            var run = start(cluster, front, ":"); // its lease is not over yet, so it is given to it
            await().atMost(DaemonCluster.LATE)
                    .until(() -> cluster.runningOn(first).equals(List.of(run)));
            lasts(cluster, first, 0, DaemonCluster.GRACE_SECONDS);
            cluster.worker("w2");
            await().atMost(DaemonCluster.LATE).until(() -> ended(cluster, run));
            first.thaw();
            await().atMost(DaemonCluster.LATE)
                    .until(() -> cluster.count("SELECT count(*) FROM node WHERE lease_until > clock_timestamp()") == 3);
            var second =
                    start(cluster, front, ":"); // after this later start has ended, the other would also have started
            await().atMost(DaemonCluster.LATE).until(() -> ended(cluster, second));

            assertThat(cluster.rows("""
                            SELECT n, status, cause, evidence LIKE '%%before it began%%' FROM attempt
                             WHERE run_id = '%s' ORDER BY n
                            """.formatted(run)))
                    .containsExactly(
                            List.of("1", "abandoned", "worker_lost", "t"),
                            List.of("2", "completed_empty", "finished", "f"));
            assertThat(Files.readAllLines(scratch.resolve("executed")))
                    .containsExactlyInAnyOrder(run + " 2", second + " 1");
            assertThat(cluster.count(
                            "SELECT count(*) FROM notice WHERE kind = 'ended' AND run_id = '%s'".formatted(run)))
                    .isEqualTo(1);
        }
    }

    @Test
    void a_worker_that_is_back_within_the_grace_keeps_its_runs() throws Exception {
        try (var cluster = new DaemonCluster(scratch, PostgresServer.shared().newDatabase(), LIMITS, 30)) {
            var front = cluster.front();
            var worker = cluster.worker("w1");
            var run = start(cluster, front, "while [ ! -e \"$SCRATCH/gate\" ]; do sleep 0.1; done");
            await().atMost(DaemonCluster.LATE).until(() -> !pid(cluster, run).equals(List.of("null")));
            var pid = pid(cluster, run);

            worker.kill9();
            worker.start();

            assertThat(pid(cluster, run)).isEqualTo(pid);
            assertThat(worker.alive()).containsExactly(run);
            Files.createFile(scratch.resolve("gate"));
            await().atMost(DaemonCluster.LATE).until(() -> ended(cluster, run));
            assertThat(cluster.rows("SELECT n, status, node FROM attempt WHERE run_id = '%s'".formatted(run)))
                    .containsExactly(List.of("1", "completed_empty", "w1"));
            assertThat(Files.readAllLines(scratch.resolve("executed"))).containsExactly(run + " 1");
        }
    }

    @Test
    void a_start_picked_by_a_daemon_that_died_is_executed_once_after_its_restart() throws Exception {
        try (var cluster = new DaemonCluster(scratch, PostgresServer.shared().newDatabase(), LIMITS, 30)) {
            var front = cluster.front();
            var worker = cluster.worker("w1");
            worker.freeze();
            var run = start(cluster, front, ":");
            await().atMost(DaemonCluster.LATE)
                    .until(() -> cluster.runningOn(worker).equals(List.of(run)));
            try (var connection = PostgresServer.connect(cluster.url);
                    var statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("LOCK TABLE job IN ACCESS EXCLUSIVE MODE"); // its order cannot be read
                worker.thaw();
                await().atMost(DaemonCluster.LATE)
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> cluster.count("SELECT count(*) FROM scheduled_tasks WHERE picked") == 1);
                worker.kill9();
                connection.rollback();
            }
            assertThat(pid(cluster, run)).containsExactly("null");

            worker.start();
            await().atMost(DaemonCluster.LATE).until(() -> ended(cluster, run));
            // the dead daemon's pick is found, too, and comes to nothing
            await().atMost(DaemonCluster.LATE).until(() -> cluster.count("SELECT count(*) FROM scheduled_tasks") == 0);
            assertThat(cluster.rows("SELECT n, status, node FROM attempt WHERE run_id = '%s'".formatted(run)))
                    .containsExactly(List.of("1", "completed_empty", "w1"));
            assertThat(Files.readAllLines(scratch.resolve("executed"))).containsExactly(run + " 1");
        }
    }

    @Test
    void agents_of_a_killed_daemon_end_before_other_nodes_take_over() throws Exception {
        try (var cluster = new DaemonCluster(scratch, PostgresServer.shared().newDatabase(), LIMITS)) {
            var front = cluster.front();
            var worker = cluster.worker("w1");
            var run = start(cluster, front, "sleep 600");
            await().atMost(DaemonCluster.LATE).until(() -> !pid(cluster, run).equals(List.of("null")));

            assertThat(worker.alive()).containsExactly(run);

            worker.kill9();

            await().atMost(DaemonCluster.LATE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> ended(cluster, run));
            assertThat(worker.alive()).isEmpty();
        }
    }

    /** However slow this machine is, the others think of the node as they are to. */
    private static void lasts(DaemonCluster cluster, DaemonNode node, int lease, int grace) throws SQLException {
        cluster.execute("""
                UPDATE node SET lease_until = clock_timestamp() + interval '%d seconds', grace = interval '%d seconds'
                 WHERE name = '%s'
                """.formatted(lease, grace, node.name));
    }

    private static String start(DaemonCluster cluster, DaemonNode front, String script) throws IOException {
        return front.call("start", cluster.task("claude:one", SAYS + script))
                .path("run_id")
                .asString();
    }

    private static List<String> pid(DaemonCluster cluster, String run) {
        return cluster.column("SELECT agent_pid FROM attempt_live WHERE run_id = '%s'".formatted(run));
    }

    private static boolean ended(DaemonCluster cluster, String run) {
        return cluster.count("""
                SELECT count(*) FROM run r JOIN attempt_ended a ON a.run_id = r.id AND a.n = r.attempt WHERE r.id = '%s'
                """.formatted(run)) == 1;
    }
}
