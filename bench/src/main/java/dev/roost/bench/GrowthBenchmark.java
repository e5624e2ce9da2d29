package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.HomeHistory;
import dev.roost.bench.system.LauncherDaemon;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Whether daily queries slow down as the number of ended runs grows. */
final class GrowthBenchmark implements Benchmark {

    private static final int OLD = 100;
    private static final int ASKED = 50;

    @Override
    public void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception {
        var sizes = setting.quick() ? new int[] {1_000, 20_000} : new int[] {1_000, 100_000, 1_000_000};
        var first = new LinkedHashMap<String, Double>();
        for (int size : sizes) {
            for (var one : at(setting, size).entrySet()) {
                benchmarkReport.add("%s, %,d ended runs".formatted(one.getKey(), size), "ms", one.getValue());
                double before = first.computeIfAbsent(one.getKey(), _ -> one.getValue());
                if (size == sizes[sizes.length - 1])
                    benchmarkReport.atMost(
                            2,
                            "%s: %,d ended runs ÷ %,d".formatted(one.getKey(), size, sizes[0]),
                            "times",
                            one.getValue() / before);
            }
        }
    }

    private static Map<String, Double> at(Setting setting, int size) throws Exception {
        var times = new LinkedHashMap<String, Double>();
        try (var roost = new LauncherDaemon(setting, "past-" + size)) {
            HomeHistory.write(roost.home, size, OLD);
            times.put("the daemon starts", Benchmark.millis(roost::start));
            try (var daemonConnection = roost.connect()) {
                var some = daemonConnection
                        .call("list", operator().put("filter", "all").put("limit", 1))
                        .path("runs")
                        .path(0)
                        .path("run_id")
                        .asString();
                times.put("list, live and unread", median(daemonConnection, "list", operator()));
                times.put(
                        "list, all, a page of 50",
                        median(
                                daemonConnection,
                                "list",
                                operator().put("filter", "all").put("limit", 50)));
                times.put(
                        "list of one owner, all, a page of 50",
                        median(
                                daemonConnection,
                                "list",
                                DaemonConnection.params()
                                        .put("caller", "bench:7")
                                        .put("filter", "all")
                                        .put("limit", 50)));
                times.put("inbox", median(daemonConnection, "inbox", DaemonConnection.params()));
                times.put("show", median(daemonConnection, "show", operator().put("run_id", some)));
                long began = System.nanoTime();
                int pruned = daemonConnection
                        .call("prune", operator().put("older_than", "900d"))
                        .path("runs")
                        .size();
                times.put("prune of %d".formatted(OLD), (System.nanoTime() - began) / 1e6);
                if (pruned != OLD) throw new IllegalStateException(pruned + " were pruned");
            }
        }
        return times;
    }

    private static ObjectNode operator() {
        return DaemonConnection.params().put("operator", true);
    }

    private static double median(DaemonConnection daemonConnection, String method, ObjectNode params) throws Exception {
        var times = new double[ASKED];
        for (int i = -10; i < ASKED; i++) {
            double took = Benchmark.millis(() -> daemonConnection.call(method, params));
            if (i >= 0) times[i] = took;
        }
        return BenchmarkReport.median(times);
    }
}
