package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.LauncherDaemon;
import java.io.IOException;

/** From an agent's exit to the answer of a waiting reader, and to the notice in the owner's inbox. */
final class EndLatencyBenchmark implements Benchmark {

    @Override
    public void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception {
        try (var roost = new LauncherDaemon(setting, "ends").start()) {
            int live = 0;
            for (int many : setting.quick() ? new int[] {1, 100} : new int[] {1, 100, 1_000}) {
                roost.quiet(many - live);
                live = many;
                among(roost, many, setting.some(500), benchmarkReport);
            }
        }
    }

    /** Each agent prints the time as its last action. */
    private static void among(LauncherDaemon roost, int live, int runs, BenchmarkReport benchmarkReport)
            throws IOException {
        var visible = new double[runs];
        var offered = new double[runs];
        try (var daemonConnection = roost.connect()) {
            for (int i = -10; i < runs; i++) {
                var run = daemonConnection.start("date", "+%s%N");
                var text = daemonConnection.end(run);
                double seen = Benchmark.now();
                double exited = Double.parseDouble(text.strip()) / 1e6;
                if (!isNoticed(daemonConnection, run)) throw new IOException(run + " ended without a notice");
                if (i < 0) continue; // to warm up
                visible[i] = seen - exited;
                offered[i] = Benchmark.now() - exited;
            }
        }
        var among = "among %,d live".formatted(live);
        benchmarkReport.add(
                "exit → reader has the end, %s: p50".formatted(among), "ms", BenchmarkReport.quantile(visible, 0.5));
        double p99 = BenchmarkReport.quantile(visible, 0.99);
        if (live == 1_000) benchmarkReport.atMost(50, "exit → reader has the end, %s: p99".formatted(among), "ms", p99);
        else benchmarkReport.add("exit → reader has the end, %s: p99".formatted(among), "ms", p99);
        benchmarkReport.add(
                "exit → its notice was asked for and shown, %s: p99".formatted(among),
                "ms",
                BenchmarkReport.quantile(offered, 0.99));
    }

    private static boolean isNoticed(DaemonConnection daemonConnection, String run) throws IOException {
        // read as the operator, whose reads acknowledge nothing
        var params = DaemonConnection.params(run).put("operator", true);
        return daemonConnection.call("show", params).path("notices").size() == 1;
    }
}
