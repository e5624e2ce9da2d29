package dev.roost.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** How soon a run is accepted, how soon its end is seen, and what it all weighs. */
final class Main {

    private static final int RUNS = 200;
    private static final int LIVE = 500;

    private final Path home = Path.of(System.getenv("ROOST_HOME"));
    private final Map<String, String> figures = new LinkedHashMap<>();

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        var bench = new Main();
        var words = List.of(arguments);
        var database = System.getenv("ROOST_BENCH_DATABASE");
        boolean quick = words.contains("--quick");
        var scratch = bench.home.resolveSibling("nodes");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RoostNode.endAllOf(scratch)));
        if (words.contains("checkpoint")) { // no daemon in it
            bench.figures.putAll(Checkpoints.measure(bench.home.resolveSibling("checkpoint")));
        } else if (words.contains("page")) {
            bench.figures.putAll(PageCost.measure(bench.home, arguments[0]));
        } else if (words.contains("cluster")) {
            bench.figures.putAll(ClusterCost.measure(database, scratch, quick));
        } else if (words.contains("takeover")) {
            bench.figures.putAll(Takeover.measure(database, scratch, quick));
        } else if (words.contains("lag")) {
            bench.figures.putAll(Lag.measure(database, scratch, quick));
        } else {
            bench.oneMachine(arguments[0]);
        }
        bench.print(words.contains("--json"));
    }

    private void oneMachine(String roost) throws Exception {
        command(roost, "daemon", "start");
        try {
            figures.put("roost ps, warm", StartUp.beside(List.of(roost, "ps"), List.of("node", "-e", "0")));
            figures.put(
                    "roost hook",
                    StartUp.beside(List.of(roost, "hook", "claude-code", "Stop"), List.of("node", "-e", "0")));
            figures.put(
                    "roost socket (byte bridge)", StartUp.beside(List.of(roost, "socket"), List.of("node", "-e", "0")));
            measure();
            figures.putAll(Sessions.measure(home));
            figures.putAll(Spawns.sideBySide(home, roost));
            figures.putAll(CapsCost.measure(home.resolveSibling("ledger.db")));
        } finally {
            command(roost, "stop", "--all");
            command(roost, "daemon", "stop");
        }
    }

    static void command(String... words) throws Exception {
        var process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() != 0) throw new IOException(String.join(" ", words) + " failed");
    }

    private void measure() throws Exception {
        try (var daemon = new Daemon(home)) {
            long pid = daemon.call("status", Daemon.params()).path("pid").asLong();
            figures.put("daemon, fresh: RSS", mib(Daemon.kib(pid, "status", "VmRSS")));
            for (int i = 0; i < 20; i++) end(daemon, daemon.start("true")); // warm
            latencies(daemon);
            System.gc();
            figures.put("daemon, idle after %d runs: RSS".formatted(RUNS), mib(Daemon.kib(pid, "status", "VmRSS")));
            weights(daemon, pid);
        }
    }

    /** One after the other, as a person would; the last act of each agent is to print what time it is. */
    private void latencies(Daemon daemon) throws IOException {
        var accepted = new double[RUNS];
        var visible = new double[RUNS];
        for (int i = 0; i < RUNS; i++) {
            long before = System.nanoTime();
            var run = daemon.start("date", "+%s%N");
            accepted[i] = (System.nanoTime() - before) / 1e6;
            var output = end(daemon, run);
            var now = Instant.now();
            long said = Long.parseLong(output.strip());
            visible[i] = (now.getEpochSecond() * 1e9 + now.getNano() - said) / 1e6;
        }
        figures.put("run accepted (socket round trip)", spread(accepted));
        figures.put("agent's last word → blocked reader has the end", spread(visible));
    }

    static String end(Daemon daemon, String run) throws IOException {
        return daemon.call("output", Daemon.params().put("run_id", run).put("block", true))
                .path("result")
                .asString("");
    }

    private void weights(Daemon daemon, long pid) throws Exception {
        long began = System.nanoTime();
        try (var threads = Executors.newFixedThreadPool(4)) {
            var starts = new ArrayList<Callable<String>>();
            for (int i = 0; i < LIVE; i++) {
                starts.add(() -> {
                    try (var own = new Daemon(home)) {
                        return own.start("sleep", "600");
                    }
                });
            }
            threads.invokeAll(starts);
        }
        var perches = new ArrayList<Long>();
        do {
            LockSupport.parkNanos(50_000_000);
            perches.clear();
            for (var run :
                    daemon.call("list", Daemon.params().put("limit", 1000)).path("runs")) {
                if (run.has("pid"))
                    ProcessHandle.of(run.get("pid").asLong())
                            .flatMap(ProcessHandle::parent)
                            .ifPresent(perch -> perches.add(perch.pid()));
            }
        } while (perches.size() < LIVE);
        figures.put(
                "%d runs started and seen to run in".formatted(LIVE),
                String.format(Locale.ROOT, "%.1f s", (System.nanoTime() - began) / 1e9));
        figures.put("daemon with %d live runs: RSS".formatted(LIVE), mib(Daemon.kib(pid, "status", "VmRSS")));
        long rss = 0;
        long pss = 0;
        for (long perch : perches) {
            rss += Daemon.kib(perch, "status", "VmRSS");
            pss += Daemon.kib(perch, "smaps_rollup", "Pss");
        }
        figures.put("a perch: RSS", mib(rss / perches.size()));
        figures.put("a perch: its share (PSS)", mib(pss / perches.size()));
    }

    private static String mib(long kib) {
        return String.format(Locale.ROOT, "%.2f MiB", kib / 1024.0);
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

    private void print(boolean asJson) {
        if (asJson) {
            var json = Daemon.JSON.createObjectNode();
            figures.forEach(json::put);
            System.out.println(json.toPrettyString());
        } else {
            figures.forEach((name, value) -> System.out.printf("%-62s %s%n", name, value));
        }
    }
}
