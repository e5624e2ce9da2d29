package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.report.RateComparison;
import dev.roost.bench.report.RateComparison.Callers;
import dev.roost.bench.report.RateComparison.Way;
import dev.roost.bench.system.BareProgram;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.LauncherDaemon;
import java.util.ArrayList;
import java.util.List;

/** The time of {@code true} from the request to the answered end, compared with tools that start processes and promise less. */
final class ProcessBenchmark implements Benchmark {

    private static final int AT_ONCE = 16;
    private static final int WARM = 400; // excludes the daemon's JIT compilation
    private static final String OURS = "Roost";
    private static final String BARE = "bare: setsid sh -c 'exec true'";

    @Override
    public void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception {
        int count = setting.quick() ? 100 : 300;
        try (var roost = new LauncherDaemon(setting, "spawning").start()) {
            var ways = new ArrayList<Way>();
            ways.add(new Way(OURS, new Callers(AT_ONCE, DaemonConnection.lives(roost.home, AT_ONCE))));
            ways.add(new Way(BARE, new Callers(AT_ONCE, _ -> BareProgram.run("setsid", "sh", "-c", "exec true"))));
            var missing = new ArrayList<String>();
            other(
                    ways,
                    missing,
                    "GNU parallel",
                    "parallel --version",
                    "seq $0 | parallel --will-cite -j %d -N0 true".formatted(AT_ONCE));
            other(
                    ways,
                    missing,
                    "task-spooler",
                    "tsp -V",
                    // a server of its own, because the user's may have jobs; it is stopped afterwards
                    "export TS_SOCKET=%s; tsp -S %d && for i in $(seq $0); do tsp -n true; done >/dev/null && tsp -w && tsp -K"
                            .formatted(setting.scratch().resolve("tsp"), AT_ONCE));
            other(
                    ways,
                    missing,
                    "systemd-run",
                    "systemd-run --quiet --wait true",
                    "seq $0 | xargs -P %d -I{} systemd-run --quiet --wait true".formatted(AT_ONCE));
            var rateComparison = RateComparison.run(WARM, count, setting.rounds(5), ways);
            for (var way : ways)
                benchmarkReport.add(
                        "`true`, %d at once: %s".formatted(AT_ONCE, way.name()),
                        "runs/s",
                        rateComparison.rate(way.name()));
            benchmarkReport.atLeast(0.5, "Roost ÷ bare", "times", rateComparison.ratio(OURS, BARE));
            for (var way : ways.subList(2, ways.size()))
                benchmarkReport.add("Roost ÷ " + way.name(), "times", rateComparison.ratio(OURS, way.name()));
            for (var name : missing)
                benchmarkReport.text("`true`: " + name, "not measured: it does not work on this machine");
        }
    }

    /** The script runs it $0 times. */
    private static void other(List<Way> ways, List<String> missing, String name, String probe, String script)
            throws Exception {
        if (BareProgram.exit(new ProcessBuilder("sh", "-c", probe)) != 0) missing.add(name);
        else ways.add(new Way(name, count -> BareProgram.run("sh", "-c", script, Integer.toString(count))));
    }
}
