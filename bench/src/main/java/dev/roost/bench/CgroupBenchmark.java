package dev.roost.bench;

import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.LauncherDaemon;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The cost of a cgroup for each run: the same runs alternate between a daemon with cgroups and one without. */
final class CgroupBenchmark {

    private static final int ROUNDS = 100;
    private static final int NEIGHBOURS = 100;

    private CgroupBenchmark() {}

    static Map<String, String> sideBySide(LauncherDaemon roost) throws Exception {
        var home = roost.home;
        var figures = new LinkedHashMap<String, String>();
        var bare = home.resolveSibling("bare");
        var hidden = roost.process(List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs tmpfs /sys/fs/cgroup && exec \"$0\" daemon start",
                roost.words().getFirst()));
        hidden.environment().put("ROOST_HOME", bare.toString());
        if (hidden.redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                != 0) {
            figures.put("without cgroups", "not measured: only root can hide them");
            return figures;
        }
        try (var with = new DaemonConnection(home);
                var without = new DaemonConnection(bare)) {
            stopAll(with);
            compare(figures, with, without, "");
            for (int i = 0; i < NEIGHBOURS; i++)
                for (var daemonConnection : List.of(with, without)) daemonConnection.start("sleep", "600");
            compare(figures, with, without, " beside %d live runs each".formatted(NEIGHBOURS));
            stopAll(with);
            stopAll(without);
            without.call("shutdown", DaemonConnection.params());
        }
        return figures;
    }

    private static void stopAll(DaemonConnection daemonConnection) throws IOException {
        for (var run : daemonConnection
                .call("list", DaemonConnection.params().put("limit", 1000))
                .path("runs")) {
            if (!run.has("ended_at"))
                daemonConnection.call(
                        "stop",
                        DaemonConnection.params()
                                .put("run_id", run.path("run_id").asString()));
        }
    }

    private static void compare(
            Map<String, String> figures, DaemonConnection with, DaemonConnection without, String where)
            throws IOException {
        var spawn = new double[2][ROUNDS];
        var end = new double[2][ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            for (int which = 0; which < 2; which++) {
                var daemonConnection = which == 0 ? with : without;
                double asked = now();
                var run = daemonConnection.start("date", "+%s%N");
                double printed =
                        Double.parseDouble(BenchMain.end(daemonConnection, run).strip()) / 1e6;
                end[which][i] = now() - printed;
                spawn[which][i] = printed - asked;
            }
        }
        figures.put("asked → agent works, with cgroups" + where, BenchMain.spread(spawn[0]));
        figures.put("asked → agent works, without" + where, BenchMain.spread(spawn[1]));
        figures.put("agent's last word → end, with cgroups" + where, BenchMain.spread(end[0]));
        figures.put("agent's last word → end, without" + where, BenchMain.spread(end[1]));
    }

    private static double now() {
        var now = Instant.now();
        return now.getEpochSecond() * 1e3 + now.getNano() / 1e6;
    }
}
