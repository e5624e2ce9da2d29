package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.PostgresServer;
import dev.roost.daemon.testing.DaemonCluster;
import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.DaemonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database fails for good, and its synchronous standby is promoted. */
class DaemonDatabaseFailoverClusterTest {

    private static final int BEFORE = 80;
    private static final int AFTER = 40;
    private static final int CALLERS = 4;

    @TempDir
    Path scratch;

    private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
    private volatile boolean enough;

    @Test
    void a_failover_loses_no_acknowledged_write_and_disturbs_no_agent() throws Exception {
        try (var primary = PostgresServer.create()) {
            var database = primary.newDatabase();
            var standby = primary.standby();
            var limits = new DaemonCluster.Limits(100, 20, 100);
            try (var cluster = new DaemonCluster(scratch, primary.urlWith(standby, database), limits);
                    var callers = Executors.newVirtualThreadPerTaskExecutor()) {
                var front = cluster.front();
                var worker = cluster.worker("w1");
                var patient = new ArrayList<String>();
                for (int i = 0; i < 3; i++) patient.add(start(cluster, front, "exec sleep 1000"));
                await().atMost(DaemonCluster.LATE)
                        .until(() -> pids(cluster, patient).size() == patient.size());
                var pids = pids(cluster, patient);

                var submitting = new ArrayList<Future<?>>();
                for (int i = 0; i < CALLERS; i++) submitting.add(callers.submit(() -> submit(cluster, front)));
                await().atMost(DaemonCluster.LATE).until(() -> acknowledged.size() >= BEFORE);
                primary.kill();
                int before = acknowledged.size();
                standby.promote();
                await().atMost(DaemonCluster.LATE).until(() -> acknowledged.size() >= before + AFTER);
                enough = true;
                for (var one : submitting) one.get(1, TimeUnit.MINUTES);
                assertThat(front.said())
                        .as("the warnings of the connection pool")
                        .contains("WARNING com.zaxxer.hikari.pool.")
                        .doesNotContain("SLF4J");

                assertThat(cluster.column("SELECT id FROM run")).containsAll(acknowledged);
                await().atMost(DaemonCluster.LATE)
                        .until(() -> cluster.count("SELECT count(*) FROM attempt_live") == patient.size());
                assertThat(cluster.rows(
                                "SELECT run_id, status, cause FROM attempt_ended WHERE status <> 'completed_empty'"))
                        .as("ended by something other than themselves")
                        .isEmpty();
                assertThat(cluster.rows("SELECT run_id FROM notice WHERE kind = 'ended'"))
                        .hasSameSizeAs(cluster.rows("SELECT run_id FROM attempt_ended"));
                assertThat(pids(cluster, patient)).isEqualTo(pids).allMatch(DaemonFixture::alive);
                assertThat(worker.alive()).containsExactlyInAnyOrderElementsOf(patient);
                for (var run : patient)
                    front.call("stop", DaemonCluster.operator().put("run_id", run));
                await("what was stopped")
                        .atMost(DaemonCluster.LATE)
                        .until(() -> worker.alive().isEmpty());
            }
        }
    }

    private String start(DaemonCluster cluster, DaemonNode node, String script) throws IOException {
        var run = node.call("start", cluster.task("claude:one", script))
                .path("run_id")
                .asString();
        acknowledged.add(run);
        return run;
    }

    private void submit(DaemonCluster cluster, DaemonNode front) {
        try (var socketRpcClient = front.rpc()) {
            while (!enough) {
                var answer = socketRpcClient.exchange("start", cluster.task("claude:one", ":"));
                var run = answer.path("result").path("run_id").asString("");
                if (!run.isEmpty()) acknowledged.add(run); // a refusal acknowledges nothing
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Long> pids(DaemonCluster cluster, List<String> runs) {
        return cluster
                .column(
                        "SELECT agent_pid FROM attempt_live WHERE agent_pid IS NOT NULL AND run_id IN ('%s') ORDER BY run_id"
                                .formatted(String.join("', '", runs)))
                .stream()
                .map(Long::valueOf)
                .toList();
    }
}
