package dev.roost.bench;

import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a cgroup for each run costs: the same runs by turns at a daemon that has them and at one that has none. */
final class Spawns {

    private static final int ROUNDS = 100;
    private static final int NEIGHBOURS = 100;

    private Spawns() {}

    static Map<String, String> sideBySide(Launched roost) throws Exception {
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
        try (var with = new Daemon(home);
                var without = new Daemon(bare)) {
            stopAll(with);
            compare(figures, with, without, "");
            for (int i = 0; i < NEIGHBOURS; i++) for (var daemon : List.of(with, without)) daemon.start("sleep", "600");
            compare(figures, with, without, " beside %d live runs each".formatted(NEIGHBOURS));
            stopAll(with);
            stopAll(without);
            without.call("shutdown", Daemon.params());
        }
        return figures;
    }

    private static void stopAll(Daemon daemon) throws IOException {
        for (var run : daemon.call("list", Daemon.params().put("limit", 1000)).path("runs")) {
            if (!run.has("ended_at"))
                daemon.call(
                        "stop", Daemon.params().put("run_id", run.path("run_id").asString()));
        }
    }

    private static void compare(Map<String, String> figures, Daemon with, Daemon without, String where)
            throws IOException {
        var spawn = new double[2][ROUNDS];
        var end = new double[2][ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            for (int which = 0; which < 2; which++) {
                var daemon = which == 0 ? with : without;
                double asked = now();
                var run = daemon.start("date", "+%s%N");
                double said = Double.parseDouble(Main.end(daemon, run).strip()) / 1e6;
                end[which][i] = now() - said;
                spawn[which][i] = said - asked;
            }
        }
        figures.put("asked → agent works, with cgroups" + where, Main.spread(spawn[0]));
        figures.put("asked → agent works, without" + where, Main.spread(spawn[1]));
        figures.put("agent's last word → end, with cgroups" + where, Main.spread(end[0]));
        figures.put("agent's last word → end, without" + where, Main.spread(end[1]));
    }

    private static double now() {
        var now = Instant.now();
        return now.getEpochSecond() * 1e3 + now.getNano() / 1e6;
    }
}
