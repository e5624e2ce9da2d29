package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkPage;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.report.BenchmarkTable;
import dev.roost.bench.system.NodeProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

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
        MORE.put("sessions", new SessionBenchmark());
        MORE.put("cgroups", new CgroupBenchmark());
        MORE.put("caps", new CapsBenchmark());
        MORE.put("checkpoint", new CheckpointBenchmark());
        MORE.put("page", new PageBenchmark());
        MORE.put("cluster", new ClusterBenchmark());
        MORE.put("takeover", new TakeoverBenchmark());
        MORE.put("lag", new LagBenchmark());
    }

    /** Kept here, because the log manager refers to its loggers only weakly. */
    private static final List<Logger> NOISY = Stream.of("org.flywaydb", "com.github.kagkarlsson", "com.zaxxer")
            .map(Logger::getLogger)
            .toList();

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
        NOISY.forEach(logger -> logger.setLevel(Level.WARNING));
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
}
