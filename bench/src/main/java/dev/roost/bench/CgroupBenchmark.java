package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.BareProgram;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.LauncherDaemon;
import java.io.IOException;
import java.util.List;

/** The cost of a cgroup for each run: the same runs alternate between a daemon with cgroups and one without. */
final class CgroupBenchmark implements Benchmark {

    private static final int ROUNDS = 100;
    private static final int NEIGHBOURS = 100;

    @Override
    public void measure(Setting setting, BenchmarkReport report) throws Exception {
        try (var roost = new LauncherDaemon(setting, "home").start()) {
            sideBySide(roost, report);
        }
    }

    private static void sideBySide(LauncherDaemon roost, BenchmarkReport report) throws Exception {
        var home = roost.home;
        var bare = home.resolveSibling("bare");
        var hidden = roost.process(List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs tmpfs /sys/fs/cgroup && exec \"$0\" daemon start",
                roost.words().getFirst()));
        hidden.environment().put("ROOST_HOME", bare.toString());
        if (BareProgram.exit(hidden) != 0) {
            report.text("without cgroups", "not measured: only root can hide them");
            return;
        }
        try (var with = new DaemonConnection(home);
                var without = new DaemonConnection(bare)) {
            stopAll(with);
            compare(report, with, without, "");
            for (int i = 0; i < NEIGHBOURS; i++)
                for (var daemonConnection : List.of(with, without)) daemonConnection.start("sleep", "600");
            compare(report, with, without, " beside %d live runs each".formatted(NEIGHBOURS));
            stopAll(with);
            stopAll(without);
            without.call("shutdown", DaemonConnection.params());
        }
    }

    private static void stopAll(DaemonConnection daemonConnection) throws IOException {
        for (var run : daemonConnection
                .call("list", DaemonConnection.params().put("limit", 1000))
                .path("runs")) {
            if (!run.has("ended_at"))
                daemonConnection.call(
                        "stop", DaemonConnection.params(run.path("run_id").asString()));
        }
    }

    private static void compare(BenchmarkReport report, DaemonConnection with, DaemonConnection without, String where)
            throws IOException {
        var spawn = new double[2][ROUNDS];
        var end = new double[2][ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            for (int which = 0; which < 2; which++) {
                var daemonConnection = which == 0 ? with : without;
                double asked = Benchmark.now();
                var run = daemonConnection.start("date", "+%s%N");
                double printed = Double.parseDouble(daemonConnection.end(run).strip()) / 1e6;
                end[which][i] = Benchmark.now() - printed;
                spawn[which][i] = printed - asked;
            }
        }
        report.spread("asked → agent works, with cgroups" + where, spawn[0]);
        report.spread("asked → agent works, without" + where, spawn[1]);
        report.spread("agent's last word → end, with cgroups" + where, end[0]);
        report.spread("agent's last word → end, without" + where, end[1]);
    }
}
