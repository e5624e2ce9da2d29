package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.PostgresServer;
import dev.roost.daemon.testing.DaemonCluster;
import dev.roost.daemon.testing.DaemonNode;
import dev.roost.daemon.testing.SocketRpcClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything that can die dies while many runs are on their way; then every run has had one end, and its owner one notice. */
class DaemonMassCrashClusterTest {

    private static final boolean FULL = Boolean.getBoolean("roost.full");
    private static final int RUNS = FULL ? 300 : 150;
    private static final int OWNERS = 5;
    private static final int CALLERS = 4;
    private static final int LONG_EVERY = FULL ? 41 : 21; // so that no owner has more of them than may run at once
    private static final DaemonCluster.Limits LIMITS = new DaemonCluster.Limits(4, 5, 12);
    private static final Duration CALM = Duration.ofSeconds(10);

    @TempDir
    Path scratch;

    private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
    private final Queue<String> exceeded = new ConcurrentLinkedQueue<>();
    private final AtomicInteger samples = new AtomicInteger();
    private final AtomicInteger submitted = new AtomicInteger();
    private volatile boolean over;

    @Test
    void every_run_has_one_end_and_one_notice_whichever_node_dies() throws Exception {
        try (var postgres = PostgresServer.create();
                var cluster = new DaemonCluster(scratch, postgres.newDatabase(), LIMITS);
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var front = cluster.front();
            var first = cluster.worker("w1");
            var second = cluster.worker("w2");
            var third = cluster.worker("w3");
            var sampling = callers.submit(() -> sample(cluster));
            var submitting = new ArrayList<Future<?>>();
            for (int i = 0; i < CALLERS; i++) submitting.add(callers.submit(() -> submit(cluster, front)));
            try {
                until(() ->
                        ended(cluster) >= RUNS / 10 && cluster.runningOn(first).size() > 1);
                first.kill9();

                until(() ->
                        ended(cluster) >= RUNS / 5 && cluster.runningOn(second).size() > 1);
                second.freeze();
                until(() -> cluster.runningOn(first).isEmpty()
                        && cluster.runningOn(second).isEmpty());
                second.thaw();
                first.start();

                until(() -> ended(cluster) >= RUNS / 3);
                front.stop();
                front.start();

                until(() -> ended(cluster) >= RUNS / 2);
                postgres.kill();
                postgres.start();

                until(() -> ended(cluster) >= RUNS * 2 / 3
                        && cluster.runningOn(third).size() > 1);
                third.kill9(); // for good

                for (var one : submitting) one.get(2, TimeUnit.MINUTES);
                until(() -> cluster.runningOn(third).isEmpty());
                stopTheLongOnes(cluster, front);
                until(() -> ended(cluster) >= RUNS);
                over = true;
                sampling.get(1, TimeUnit.MINUTES);
                theLedgerIsRight(cluster);
                nobodyRanTwiceUnsaid(cluster);
                await("agents without a live attempt")
                        .atMost(CALM)
                        .untilAsserted(() -> assertThat(cluster.strays()).isEmpty());
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        "acknowledged %d, ended %d, live %s, nodes %s\n%s"
                                .formatted(
                                        acknowledged.size(),
                                        ended(cluster),
                                        cluster.rows("SELECT run_id, n, status, phase, node FROM attempt_live"),
                                        cluster.rows("SELECT name, epoch, heard_at, lease_until FROM node"),
                                        cluster.nodes.values().stream()
                                                .map(DaemonNode::said)
                                                .collect(Collectors.joining("\n"))),
                        e);
            } finally {
                over = true;
                callers.shutdownNow();
            }
        }
    }

    private static void until(BooleanSupplier condition) {
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(100))
                .until(condition::getAsBoolean);
    }

    private static int ended(DaemonCluster cluster) {
        return cluster.count("SELECT count(*) FROM run r JOIN attempt_ended a ON a.run_id = r.id AND a.n = r.attempt");
    }

    /** Short runs of varying length, some with output, and a few that only a stop or a loss ends. */
    private static String script(int i) {
        var says = "echo \"$ROOST_RUN_ID $ROOST_ATTEMPT\" >> \"$SCRATCH/executed\"; ";
        if (i % LONG_EVERY == 0) return says + "exec sleep 1000";
        return says
                + (i % 3 == 0 ? "echo hello; " : "")
                + "sleep 0.%d; ".formatted(i % 10)
                + (i % 7 == 0 ? "exit 3" : ":");
    }

    /** A restart of a front node closes connections; callers repeat unanswered requests. */
    private void submit(DaemonCluster cluster, DaemonNode front) {
        SocketRpcClient socketRpcClient = null;
        for (int i = submitted.getAndIncrement(); i < RUNS; i = submitted.getAndIncrement()) {
            var task = cluster.task("claude:owner-" + i % OWNERS, script(i));
            while (!over) {
                try {
                    if (socketRpcClient == null) socketRpcClient = front.rpc();
                    var answer = socketRpcClient.exchange("start", task);
                    var run = answer.path("result").path("run_id").asString("");
                    if (run.isEmpty()) {
                        await().pollDelay(Duration.ofMillis(50)).until(() -> true);
                        continue; // it is stopping
                    }
                    acknowledged.add(run);
                    break;
                } catch (IOException e) {
                    socketRpcClient = null;
                    await().pollDelay(Duration.ofMillis(50)).until(() -> true);
                }
            }
        }
    }

    private void sample(DaemonCluster cluster) {
        while (!over) {
            try (var connection = PostgresServer.connect(cluster.url)) {
                while (!over) {
                    for (var row :
                            DaemonCluster.rows(connection, """
                            SELECT 'owner ' || r.owner, count(*) FROM attempt_live a JOIN run r ON r.id = a.run_id
                             WHERE a.status = 'running' GROUP BY r.owner HAVING count(*) > %d
                            UNION ALL
                            SELECT 'node ' || node, count(*) FROM attempt_live WHERE status = 'running'
                             GROUP BY node HAVING count(*) > %d
                            UNION ALL
                            SELECT 'cluster', count(*) FROM attempt_live WHERE status = 'running' HAVING count(*) > %d
                            """.formatted(LIMITS.owner(), LIMITS.node(), LIMITS.all())))
                        exceeded.add(row.toString());
                    samples.incrementAndGet();
                    TimeUnit.MILLISECONDS.sleep(50);
                }
            } catch (SQLException e) {
                await().pollDelay(Duration.ofMillis(50)).until(() -> true); // it is down
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void stopTheLongOnes(DaemonCluster cluster, DaemonNode front) throws IOException {
        until(() -> cluster.count("SELECT count(*) FROM attempt_live WHERE status = 'queued'") == 0);
        until(() -> cluster.count("SELECT count(*) FROM attempt_live") <= RUNS / LONG_EVERY);
        for (var run : cluster.column("SELECT run_id FROM attempt_live"))
            front.call("stop", DaemonCluster.operator().put("run_id", run));
    }

    private void theLedgerIsRight(DaemonCluster cluster) {
        assertThat(samples.get()).isGreaterThan(100);
        assertThat(exceeded).as("caps exceeded").isEmpty();
        assertThat(cluster.column("SELECT id FROM run"))
                .as("acknowledged submissions")
                .containsAll(acknowledged);
        assertThat(acknowledged).hasSize(RUNS).doesNotHaveDuplicates();
        assertThat(cluster.rows("""
                        SELECT r.id, count(n.id) FROM run r
                          LEFT JOIN notice n ON n.run_id = r.id AND n.kind = 'ended' GROUP BY r.id HAVING count(n.id) <> 1
                        """)).as("runs with none or more notices").isEmpty();
        assertThat(cluster.rows("""
                        SELECT run_id, attempt, count(*) FROM event WHERE kind = 'ended'
                         GROUP BY run_id, attempt HAVING count(*) <> 1
                        """)).as("attempts that ended twice").isEmpty();
        assertThat(cluster.rows("""
                        SELECT run_id, n, status, cause FROM attempt_ended
                         WHERE status NOT IN ('completed', 'completed_empty', 'failed', 'canceled_by_user')
                           AND (status, cause) <> ('abandoned', 'worker_lost')
                        """)).as("unexpected ends").isEmpty();
        assertThat(cluster.count("SELECT count(*) FROM attempt_ended WHERE cause = 'worker_lost'"))
                .isPositive();
        await().atMost(DaemonCluster.LATE) // a short run can end before its node has completed its start
                .untilAsserted(() -> assertThat(cluster.column("SELECT task_instance FROM scheduled_tasks"))
                        .as("pending starts")
                        .isEmpty());
    }

    /** Each execution records its attempt: none runs twice, and none that the ledger calls not started. */
    private void nobodyRanTwiceUnsaid(DaemonCluster cluster) throws IOException {
        var executed = new TreeMap<String, Integer>();
        for (var line : Files.readAllLines(scratch.resolve("executed"))) executed.merge(line, 1, Integer::sum);
        assertThat(executed.entrySet().stream()
                        .filter(one -> one.getValue() > 1)
                        .map(Map.Entry::getKey))
                .as("attempts that ran twice")
                .isEmpty();
        var attempts = cluster.rows("SELECT run_id || ' ' || n, status, evidence FROM attempt_ended");
        assertThat(attempts.stream().map(List::getFirst)).as("attempts").containsAll(executed.keySet());
        var unbegun = attempts.stream()
                .filter(row -> row.get(2).contains("before it began"))
                .map(List::getFirst)
                .collect(Collectors.toSet());
        assertThat(executed.keySet())
                .as("started, although the ledger says it had not")
                .noneMatch(unbegun::contains);
        assertThat(attempts.stream()
                        .filter(row ->
                                row.get(1).startsWith("completed") || row.get(1).equals("failed"))
                        .map(List::getFirst))
                .as("completed, so they were started")
                .allMatch(executed::containsKey);
    }
}
