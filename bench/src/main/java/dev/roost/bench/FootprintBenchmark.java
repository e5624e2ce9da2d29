package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.LauncherDaemon;
import dev.roost.bench.system.NodeProcess;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** The memory and CPU use of idle runs. */
final class FootprintBenchmark implements Benchmark {

    private static final long WATCHED_SECONDS = 20;

    @Override
    public void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception {
        try (var roost = new LauncherDaemon(setting, "footprint").start()) {
            long pid = roost.pid();
            benchmarkReport.add("daemon alone: memory (RSS)", "MiB", mib(pid));
            benchmarkReport.add("daemon alone: of a core", "%", load(pid));
            int live = 0;
            for (int many : setting.quick() ? new int[] {200} : new int[] {1_000, 5_000}) {
                roost.quiet(many - live);
                live = many;
                among(benchmarkReport, roost, pid, many);
            }
        }
    }

    private static void among(BenchmarkReport benchmarkReport, LauncherDaemon roost, long pid, int live)
            throws IOException {
        var among = "%,d quiet runs".formatted(live);
        LockSupport.parkNanos(5_000_000_000L); // lets the work of their start finish
        double daemon = mib(pid);
        double perches = perches(roost) / 1024.0;
        benchmarkReport.add("%s: the daemon (RSS)".formatted(among), "MiB", daemon);
        benchmarkReport.add("%s: a perch, its share (PSS)".formatted(among), "MiB", perches / live);
        benchmarkReport.atMost(2, "%s: in total, a run".formatted(among), "MiB", (daemon + perches) / live);
        double load = load(pid);
        if (live == 1_000) benchmarkReport.atMost(2, "%s: of a core".formatted(among), "%", load);
        else benchmarkReport.add("%s: of a core".formatted(among), "%", load);
    }

    /** KiB of all perches, which are the parents of the agents. */
    private static long perches(LauncherDaemon roost) throws IOException {
        long kib = 0;
        for (var process : ProcessHandle.allProcesses().toList()) {
            if (NodeProcess.isPerchOf(process.pid(), roost.home))
                kib += DaemonConnection.kib(process.pid(), "smaps_rollup", "Pss");
        }
        return kib;
    }

    private static double load(long pid) throws IOException {
        double before = LauncherDaemon.cpuSeconds(pid);
        LockSupport.parkNanos(WATCHED_SECONDS * 1_000_000_000L);
        return (LauncherDaemon.cpuSeconds(pid) - before) / WATCHED_SECONDS * 100;
    }

    private static double mib(long pid) throws IOException {
        return DaemonConnection.kib(pid, "status", "VmRSS") / 1024.0;
    }
}
