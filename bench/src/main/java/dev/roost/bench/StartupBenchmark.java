package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.BareProgram;
import dev.roost.bench.system.LauncherDaemon;
import java.io.File;
import java.util.Arrays;
import java.util.List;

/** The duration of short commands, compared with other programs on the same machine. */
final class StartupBenchmark implements Benchmark {

    private static final List<String> NODE = List.of("node", "-e", "0");
    private static final List<String> GIT = List.of("git", "--version");

    @Override
    public void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception {
        try (var roost = new LauncherDaemon(setting, "start-up").start()) {
            var commands = List.of(
                    roost.words("ps"),
                    roost.words("hook", "claude-code", "Stop"),
                    roost.words("socket"), // the bridge that roost mcp uses
                    NODE,
                    GIT);
            int rounds = setting.quick() ? 5 : 31;
            var times = new double[commands.size()][rounds];
            for (int round = 0; round < rounds; round++) // interleaved, so that noise affects all
            for (int i = 0; i < times.length; i++) times[i][round] = time(roost, commands.get(i));
            var names = List.of("roost ps", "roost hook", "roost socket", "node -e 0", "git --version");
            for (int i = 0; i < times.length; i++) benchmarkReport.add(names.get(i), "ms", times[i]);
            benchmarkReport.atMost(1, "roost hook ÷ node -e 0", "times", ratio(times[1], times[3]));
            benchmarkReport.add("roost ps ÷ node -e 0", "times", ratio(times[0], times[3]));
        }
    }

    private static double[] ratio(double[] ours, double[] theirs) {
        var ratios = new double[ours.length];
        Arrays.setAll(ratios, round -> ours[round] / theirs[round]);
        return ratios;
    }

    private static double time(LauncherDaemon roost, List<String> command) throws Exception {
        var program = roost.process(command).redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        return Benchmark.millis(() -> BareProgram.run(program));
    }
}
