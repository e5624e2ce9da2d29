package dev.roost.bench;

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

/** {@code bench/run [--quick] [--json] [--docs FILE] [NAME…]}: measures what is named, or all that the documentation shows. */
final class Main {

    /** What docs/benchmarks.md shows, and what is measured if nothing is named. */
    private static final Map<String, Bench> BENCHES = new LinkedHashMap<>();

    /** What other pages show; only if named. */
    private static final Map<String, Bench> MORE = new LinkedHashMap<>();

    static {
        BENCHES.put("startup", new StartUp());
        BENCHES.put("lifecycles", new Lifecycles());
        BENCHES.put("processes", new Spawning());
        BENCHES.put("ends", new Ends());
        BENCHES.put("recovery", new Recovery());
        BENCHES.put("footprint", new Footprint());
        BENCHES.put("output", new Printing());
        BENCHES.put("growth", new Growth());
        MORE.put("sessions", of(setting -> withDaemon(setting, roost -> Sessions.measure(roost.home))));
        MORE.put("cgroups", of(setting -> withDaemon(setting, Spawns::sideBySide)));
        MORE.put("caps", of(setting -> CapsCost.measure(setting.scratch().resolve("caps.db"))));
        MORE.put(
                "checkpoint",
                of(setting -> Checkpoints.measure(setting.scratch().resolve("checkpoint"))));
        MORE.put("page", of(setting -> withDaemon(setting, PageCost::measure)));
        MORE.put("cluster", of(setting -> ClusterCost.measure(database(setting), setting.scratch(), setting.quick())));
        MORE.put("takeover", of(setting -> Takeover.measure(database(setting), setting.scratch(), setting.quick())));
        MORE.put("lag", of(setting -> Lag.measure(database(setting), setting.scratch(), setting.quick())));
    }

    private Main() {}

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
        Quiet.LOGGERS.forEach(logger -> logger.setLevel(Level.WARNING));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RoostNode.endAllOf(scratch)));
        var database = Optional.ofNullable(System.getenv("ROOST_BENCH_DATABASE"));
        var report = new Report();
        for (var name : words.isEmpty() ? BENCHES.keySet() : words) {
            System.err.printf("bench: %s …%n", name);
            report.begin(name);
            var own = Files.createDirectories(scratch.resolve(name));
            Objects.requireNonNull(all.get(name)).measure(new Bench.Setting(roost, own, quick, database), report);
        }
        if (page.isPresent()) new Page(report).write(page.get());
        System.out.print(json ? Table.json(report) : Table.text(report));
    }

    private interface Texts {
        Map<String, String> measure(Bench.Setting setting) throws Exception;
    }

    private static Bench of(Texts texts) {
        return (setting, report) -> texts.measure(setting).forEach(report::text);
    }

    private interface InHome {
        Map<String, String> measure(Launched roost) throws Exception;
    }

    private static Map<String, String> withDaemon(Bench.Setting setting, InHome work) throws Exception {
        try (var roost = new Launched(setting, "home").start()) {
            return work.measure(roost);
        }
    }

    private static String database(Bench.Setting setting) {
        return setting.database().orElseThrow(() -> new IllegalStateException("needs PostgreSQL"));
    }

    /** What it printed, once it has ended. */
    static String end(Daemon daemon, String run) throws IOException {
        return daemon.call(
                        "output",
                        Daemon.params().put("run_id", run).put("block", true).put("timeout_ms", 600_000))
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
