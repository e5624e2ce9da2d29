package dev.roost.bench;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** What quiet runs cost while nothing happens. */
final class Footprint implements Bench {

    private static final long WATCHED_SECONDS = 20;

    @Override
    public void measure(Setting setting, Report report) throws Exception {
        try (var roost = new Launched(setting, "footprint").start()) {
            long pid = roost.pid();
            report.add("daemon alone: memory (RSS)", "MiB", mib(pid));
            report.add("daemon alone: of a core", "%", load(pid));
            int live = 0;
            for (int many : setting.quick() ? new int[] {200} : new int[] {1_000, 5_000}) {
                roost.quiet(many - live);
                live = many;
                among(report, roost, pid, many);
            }
        }
    }

    private static void among(Report report, Launched roost, long pid, int live) throws IOException {
        var among = "%,d quiet runs".formatted(live);
        LockSupport.parkNanos(5_000_000_000L); // what starting them left behind is not theirs
        double daemon = mib(pid);
        double perches = perches(roost) / 1024.0;
        report.add("%s: the daemon (RSS)".formatted(among), "MiB", daemon);
        report.add("%s: a perch, its share (PSS)".formatted(among), "MiB", perches / live);
        report.atMost(2, "%s: all told, a run".formatted(among), "MiB", (daemon + perches) / live);
        double load = load(pid);
        if (live == 1_000) report.atMost(2, "%s: of a core".formatted(among), "%", load);
        else report.add("%s: of a core".formatted(among), "%", load);
    }

    /** KiB of all perches: the parents of the agents. */
    private static long perches(Launched roost) throws IOException {
        long kib = 0;
        for (var process : ProcessHandle.allProcesses().toList()) {
            if (RoostNode.isPerchOf(process.pid(), roost.home)) kib += Daemon.kib(process.pid(), "smaps_rollup", "Pss");
        }
        return kib;
    }

    private static double load(long pid) throws IOException {
        double before = Launched.cpuSeconds(pid);
        LockSupport.parkNanos(WATCHED_SECONDS * 1_000_000_000L);
        return (Launched.cpuSeconds(pid) - before) / WATCHED_SECONDS * 100;
    }

    private static double mib(long pid) throws IOException {
        return Daemon.kib(pid, "status", "VmRSS") / 1024.0;
    }
}
