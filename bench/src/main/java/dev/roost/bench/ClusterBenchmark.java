package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.report.RateComparison;
import dev.roost.bench.report.RateComparison.Callers;
import dev.roost.bench.report.RateComparison.Way;
import dev.roost.bench.system.BareProgram;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.DbSchedulerBaseline;
import dev.roost.bench.system.EmptyDatabases;
import dev.roost.bench.system.NodeProcess;
import dev.roost.bench.system.ProcesslessEngine;
import dev.roost.os.SystemClock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The cost of a run in a cluster, compared with db-scheduler on the same PostgreSQL and with the embedded ledger. */
final class ClusterBenchmark implements Benchmark {

    private static final int LEASE = 10;
    private static final int GRACE = 30;

    @Override
    public void measure(Setting setting, BenchmarkReport report) throws Exception {
        engine(setting, report);
        commands(setting, report);
    }

    /** From the submission to the committed end, without a process. */
    private static void engine(Setting setting, BenchmarkReport report) throws Exception {
        var address = setting.requiredDatabase();
        var clock = new SystemClock();
        try (var one = ProcesslessEngine.cluster(EmptyDatabases.another(address), setting.scratch(), clock, 1);
                var bare = new DbSchedulerBaseline(address, () -> {});
                var embedded = ProcesslessEngine.embedded(setting.scratch(), clock);
                var three = ProcesslessEngine.cluster(EmptyDatabases.another(address), setting.scratch(), clock, 3)) {
            var ways = new LinkedHashMap<String, RateComparison.One>();
            ways.put("a cluster of one node", one::run);
            ways.put("db-scheduler alone", _ -> bare.run());
            ways.put("embedded ledger", embedded::run);
            ways.put("a cluster of three nodes", three::run);
            compare(setting, report, "engine only", 64, setting.quick() ? 300 : 1_500, ways);
        }
    }

    /** From the request at a daemon's socket to the answer that the run has ended, with a real process that does nothing. */
    private static void commands(Setting setting, BenchmarkReport report) throws Exception {
        var address = setting.requiredDatabase();
        try (var node = NodeProcess.inCluster(
                        setting.scratch(), "worker", EmptyDatabases.another(address), 1_000, LEASE, GRACE);
                var bare = new DbSchedulerBaseline(address, () -> BareProgram.run("true"));
                var alone = NodeProcess.alone(setting.scratch(), "alone")) {
            var ways = new LinkedHashMap<String, RateComparison.One>();
            ways.put("a cluster of one node", DaemonConnection.lives(node.home, 16));
            ways.put("db-scheduler alone, and a child of its own", _ -> bare.run());
            ways.put("embedded ledger", DaemonConnection.lives(alone.home, 16));
            compare(setting, report, "`true`", 16, setting.quick() ? 60 : 300, ways);
        }
    }

    private static void compare(
            Setting setting,
            BenchmarkReport report,
            String what,
            int callers,
            int count,
            Map<String, RateComparison.One> lives)
            throws Exception {
        var ways = new ArrayList<Way>();
        lives.forEach((name, life) -> ways.add(new Way(name, new Callers(callers, life))));
        var comparison = RateComparison.run(count, count, setting.rounds(7), List.copyOf(ways));
        for (var way : ways) {
            var name = "%s, %d at once: %s".formatted(what, callers, way.name());
            report.noted(name, "runs/s", ((Callers) way.work()).quantiles(), comparison.rate(way.name()));
        }
        var first = ways.getFirst().name();
        for (var way : ways.subList(1, ways.size()))
            report.add("%s: %s ÷ %s".formatted(what, way.name(), first), "times", comparison.ratio(way.name(), first));
    }
}
