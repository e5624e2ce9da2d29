package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkPage;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.report.BenchmarkTable;
import dev.roost.bench.report.NoisyLoggers;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.LauncherDaemon;
import dev.roost.bench.system.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;

/** {@code bench/run [--quick] [--json] [--docs FILE] [NAME…]}: runs the named benchmarks, or all that the documentation shows. */
final class BenchMain {

    /** The benchmarks of docs/benchmarks.md, which are also the default. */
    private static final Map<String, Benchmark> BENCHES = new LinkedHashMap<>();

    /** Benchmarks of other pages; run only by name. */
    private static final Map<String, Benchmark> MORE = new LinkedHashMap<>();

    static {
        BENCHES.put("startup", new StartupBenchmark());
        BENCHES.put("lifecycles", new LifecycleBenchmark());
        BENCHES.put("processes", new ProcessBenchmark());
        BENCHES.put("ends", new EndLatencyBenchmark());
        BENCHES.put("recovery", new RecoveryBenchmark());
        BENCHES.put("footprint", new FootprintBenchmark());
        BENCHES.put("output", new OutputBenchmark());
        BENCHES.put("growth", new GrowthBenchmark());
        MORE.put("sessions", of(setting -> withDaemon(setting, roost -> SessionBenchmark.measure(roost.home))));
        MORE.put("cgroups", of(setting -> withDaemon(setting, CgroupBenchmark::sideBySide)));
        MORE.put("caps", of(setting -> CapsBenchmark.measure(setting.scratch().resolve("caps.db"))));
        MORE.put(
                "checkpoint",
                of(setting -> CheckpointBenchmark.measure(setting.scratch().resolve("checkpoint"))));
        MORE.put("page", of(setting -> withDaemon(setting, PageBenchmark::measure)));
        MORE.put(
                "cluster",
                of(setting -> ClusterBenchmark.measure(database(setting), setting.scratch(), setting.quick())));
        MORE.put(
                "takeover",
                of(setting -> TakeoverBenchmark.measure(database(setting), setting.scratch(), setting.quick())));
        MORE.put("lag", of(setting -> LagBenchmark.measure(database(setting), setting.scratch(), setting.quick())));
    }

    private BenchMain() {}

    public static void main(String[] arguments) throws Exception {
        var words = new ArrayList<>(List.of(arguments));
        var roost = words.removeFirst();
        var scratch = Path.of(words.removeFirst());
        boolean quick = words.remove("--quick");
        boolean json = words.remove("--json");
        int docs = words.indexOf("--docs");
        var page = docs < 0 ? Optional.<Path>empty() : Optional.of(Path.of(words.remove(docs + 1)));
        if (docs >= 0) words.remove(docs);
        var all = new LinkedHashMap<>(BENCHES);
        all.putAll(MORE);
        for (var word : words) {
            if (all.containsKey(word)) continue;
            System.err.printf("bench: %s is not known; there are %s%n", word, String.join(", ", all.keySet()));
            System.exit(2);
        }
        NoisyLoggers.LOGGERS.forEach(logger -> logger.setLevel(Level.WARNING));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> NodeProcess.endAllOf(scratch)));
        var database = Optional.ofNullable(System.getenv("ROOST_BENCH_DATABASE"));
        var benchmarkReport = new BenchmarkReport();
        for (var name : words.isEmpty() ? BENCHES.keySet() : words) {
            System.err.printf("bench: %s …%n", name);
            benchmarkReport.begin(name);
            var own = Files.createDirectories(scratch.resolve(name));
            Objects.requireNonNull(all.get(name))
                    .measure(new Benchmark.Setting(roost, own, quick, database), benchmarkReport);
        }
        if (page.isPresent()) new BenchmarkPage(benchmarkReport).write(page.get());
        System.out.print(json ? BenchmarkTable.json(benchmarkReport) : BenchmarkTable.text(benchmarkReport));
    }

    private interface Texts {
        Map<String, String> measure(Benchmark.Setting setting) throws Exception;
    }

    private static Benchmark of(Texts texts) {
        return (setting, benchmarkReport) -> texts.measure(setting).forEach(benchmarkReport::text);
    }

    private interface InHome {
        Map<String, String> measure(LauncherDaemon roost) throws Exception;
    }

    private static Map<String, String> withDaemon(Benchmark.Setting setting, InHome work) throws Exception {
        try (var roost = new LauncherDaemon(setting, "home").start()) {
            return work.measure(roost);
        }
    }

    private static String database(Benchmark.Setting setting) {
        return setting.database().orElseThrow(() -> new IllegalStateException("needs PostgreSQL"));
    }

    /** The output of a program that has ended. */
    static String end(DaemonConnection daemonConnection, String run) throws IOException {
        return daemonConnection
                .call(
                        "output",
                        DaemonConnection.params()
                                .put("run_id", run)
                                .put("block", true)
                                .put("timeout_ms", 600_000))
                .path("result")
                .asString("");
    }

    static String spread(double[] values) {
        Arrays.sort(values);
        return String.format(
                Locale.ROOT,
                "p50 %.1f ms, p99 %.1f ms, max %.1f ms",
                values[values.length / 2],
                values[(int) (values.length * 0.99)],
                values[values.length - 1]);
    }
}
