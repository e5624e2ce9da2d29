package dev.roost.bench;

import dev.roost.base.Clock;
import dev.roost.bench.report.PairedComparison;
import dev.roost.bench.report.PairedComparison.Plan;
import dev.roost.bench.report.PairedComparison.Way;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.DbSchedulerBaseline;
import dev.roost.bench.system.EmptyDatabases;
import dev.roost.bench.system.NodeProcess;
import dev.roost.bench.system.ProcesslessEngine;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/** The cost of a run in a cluster, compared with db-scheduler on the same PostgreSQL and with the embedded ledger. */
final class ClusterBenchmark {

    private static final int LEASE = 10;
    private static final int GRACE = 30;

    private final String address;
    private final Path scratch;
    private final boolean quick;

    private ClusterBenchmark(String address, Path scratch, boolean quick) {
        this.address = address;
        this.scratch = scratch;
        this.quick = quick;
    }

    static Map<String, String> measure(String address, Path scratch, boolean quick) throws Exception {
        var cost = new ClusterBenchmark(address, scratch, quick);
        var figures = new LinkedHashMap<String, String>();
        figures.putAll(cost.engine());
        figures.putAll(cost.commands());
        return figures;
    }

    /** From the submission to the committed end, without a process. */
    private Map<String, String> engine() throws Exception {
        Clock clock = new SystemClock();
        var plan = quick ? new Plan(64, 300, 300, 3) : new Plan(64, 2_000, 1_500, 7);
        try (var one = ProcesslessEngine.cluster(EmptyDatabases.another(address), scratch, clock, 1);
                var bare = new DbSchedulerBaseline(address, () -> {});
                var embedded = ProcesslessEngine.embedded(scratch, clock);
                var three = ProcesslessEngine.cluster(EmptyDatabases.another(address), scratch, clock, 3)) {
            return PairedComparison.measure(
                    "engine only",
                    plan,
                    List.of(
                            new Way("a cluster of one node", one::run),
                            new Way("db-scheduler alone", _ -> bare.run()),
                            new Way("embedded ledger", embedded::run),
                            new Way("a cluster of three nodes", three::run)));
        }
    }

    /** From the request at a daemon's socket to the answer that the run has ended, with a real process that does nothing. */
    private Map<String, String> commands() throws Exception {
        var plan = quick ? new Plan(16, 60, 60, 3) : new Plan(16, 400, 300, 7);
        try (var node = NodeProcess.inCluster(scratch, "worker", EmptyDatabases.another(address), 1_000, LEASE, GRACE);
                var bare = new DbSchedulerBaseline(address, ClusterBenchmark::nothing);
                var alone = NodeProcess.alone(scratch, "alone")) {
            return PairedComparison.measure(
                    "`true`",
                    plan,
                    List.of(
                            new Way("a cluster of one node", daemon(node, plan)),
                            new Way("db-scheduler alone, and a child of its own", _ -> bare.run()),
                            new Way("embedded ledger", daemon(alone, plan))));
        }
    }

    private static void nothing() throws Exception {
        if (new ProcessBuilder("true").start().waitFor() != 0) throw new IOException("true failed");
    }

    private static PairedComparison.One daemon(NodeProcess node, Plan plan) throws IOException {
        var free = new LinkedBlockingQueue<DaemonConnection>();
        for (int i = 0; i < plan.callers(); i++) free.add(node.connect());
        return _ -> {
            var daemonConnection = free.take();
            BenchMain.end(daemonConnection, daemonConnection.start("true"));
            free.add(daemonConnection);
        };
    }
}
