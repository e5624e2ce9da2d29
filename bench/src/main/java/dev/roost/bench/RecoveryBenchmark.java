package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.LauncherDaemon;

/** A daemon is killed while runs are live: the time until the next daemon supervises all of them. */
final class RecoveryBenchmark implements Benchmark {

    @Override
    public void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception {
        int live = setting.quick() ? 200 : 1_000;
        var rounds = new double[setting.rounds(5)];
        try (var roost = new LauncherDaemon(setting, "recovery").start()) {
            roost.quiet(live);
            for (int i = 0; i < rounds.length; i++) {
                ProcessHandle.of(roost.pid()).orElseThrow().destroyForcibly();
                long killed = System.nanoTime();
                roost.start();
                roost.awaitPids(live);
                if (roost.live() != live) throw new IllegalStateException("not all runs are supervised");
                rounds[i] = (System.nanoTime() - killed) / 1e9;
            }
        }
        benchmarkReport.atMost(3, "daemon killed with %,d live runs → all served again".formatted(live), "s", rounds);
    }
}
