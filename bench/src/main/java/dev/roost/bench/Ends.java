package dev.roost.bench;

import java.io.IOException;
import java.time.Instant;

/** From an agent's last act to the blocked reader's answer, and to the notice in its owner's inbox. */
final class Ends implements Bench {

    @Override
    public void measure(Setting setting, Report report) throws Exception {
        try (var roost = new Launched(setting, "ends").start()) {
            int live = 0;
            for (int many : setting.quick() ? new int[] {1, 100} : new int[] {1, 100, 1_000}) {
                roost.quiet(many - live);
                live = many;
                among(roost, many, setting.some(500), report);
            }
        }
    }

    /** The last thing each agent does is to print what time it is. */
    private static void among(Launched roost, int live, int runs, Report report) throws IOException {
        var visible = new double[runs];
        var offered = new double[runs];
        try (var daemon = roost.connect()) {
            for (int i = -10; i < runs; i++) {
                var run = daemon.start("date", "+%s%N");
                var text = Main.end(daemon, run);
                double seen = now();
                double said = Double.parseDouble(text.strip()) / 1e6;
                if (!isNoticed(daemon, run)) throw new IOException(run + " ended without a notice");
                if (i < 0) continue; // to warm up
                visible[i] = seen - said;
                offered[i] = now() - said;
            }
        }
        var among = "among %,d live".formatted(live);
        report.add("exit → reader has the end, %s: p50".formatted(among), "ms", Report.quantile(visible, 0.5));
        double p99 = Report.quantile(visible, 0.99);
        if (live == 1_000) report.atMost(50, "exit → reader has the end, %s: p99".formatted(among), "ms", p99);
        else report.add("exit → reader has the end, %s: p99".formatted(among), "ms", p99);
        report.add(
                "exit → its notice was asked for and shown, %s: p99".formatted(among),
                "ms",
                Report.quantile(offered, 0.99));
    }

    private static boolean isNoticed(Daemon daemon, String run) throws IOException {
        // asked as the operator, whose reads clear nothing
        var params = Daemon.params().put("operator", true).put("run_id", run);
        return daemon.call("show", params).path("notices").size() == 1;
    }

    private static double now() {
        var now = Instant.now();
        return now.getEpochSecond() * 1e3 + now.getNano() / 1e6;
    }
}
