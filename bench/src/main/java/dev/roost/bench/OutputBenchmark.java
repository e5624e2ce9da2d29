package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.report.RateComparison;
import dev.roost.bench.report.RateComparison.Way;
import dev.roost.bench.system.BareProgram;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.LauncherDaemon;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Agents with much output: throughput compared with {@code cat > file}, and whether the daemon's memory stays bounded. */
final class OutputBenchmark implements Benchmark {

    private static final int MANY = 200;
    private static final int SECONDS = 10;

    @Override
    public void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception {
        try (var roost = new LauncherDaemon(setting, "printing").start()) {
            one(setting, benchmarkReport, roost);
            many(setting, benchmarkReport, roost);
        }
    }

    /** Lines of ordinary text. */
    private static String lines(long bytes) {
        return "yes 'a line of what a program prints as it works, of quite ordinary length' | head -c %d"
                .formatted(bytes);
    }

    private static void one(Setting setting, BenchmarkReport benchmarkReport, LauncherDaemon roost) throws Exception {
        int mib = setting.quick() ? 100 : 1_000;
        var file = setting.scratch().resolve("cat").toString();
        long pid = roost.pid();
        try (var daemonConnection = roost.connect();
                var memory = new Peak(pid)) {
            var rateComparison = RateComparison.run(
                    mib,
                    mib,
                    3,
                    List.of(
                            new Way("Roost", size -> {
                                var run = daemonConnection.start("sh", "-c", lines(size * 1_000_000L));
                                daemonConnection.end(run);
                            }),
                            new Way(
                                    "cat",
                                    size -> BareProgram.run(
                                            "sh",
                                            "-c",
                                            "%s | cat > %s && sync %s"
                                                    .formatted(lines(size * 1_000_000L), file, file)))));
            benchmarkReport.add(
                    "one agent prints %,d MB: Roost, until its end is answered".formatted(mib),
                    "MB/s",
                    rateComparison.rate("Roost"));
            benchmarkReport.add("the same into `cat > file`, and onto the disk", "MB/s", rateComparison.rate("cat"));
            benchmarkReport.add("Roost ÷ cat", "times", rateComparison.ratio("Roost", "cat"));
            benchmarkReport.add("the daemon's memory at its peak", "MiB", memory.mib());
        }
    }

    /** Each agent prints a megabyte a second, in one burst. */
    private static void many(Setting setting, BenchmarkReport benchmarkReport, LauncherDaemon roost) throws Exception {
        int agents = setting.some(MANY);
        long pid = roost.pid();
        var script = "for i in $(seq %d); do %s; sleep 1; done".formatted(SECONDS, lines(1_000_000));
        try (var daemonConnection = roost.connect();
                var memory = new Peak(pid)) {
            double cpu = LauncherDaemon.cpuSeconds(pid);
            long began = System.nanoTime();
            var runs = new ArrayList<String>();
            for (int i = 0; i < agents; i++) runs.add(daemonConnection.start("sh", "-c", script));
            for (var run : runs) {
                var ended = daemonConnection.awaitEnd(run);
                if (!ended.path("status").asString().equals("completed")) throw new IOException(ended.toString());
            }
            double took = (System.nanoTime() - began) / 1e9;
            benchmarkReport.add(
                    "%d agents, %d bursts of 1 MB each: carried".formatted(agents, SECONDS),
                    "MB/s",
                    agents * SECONDS / took);
            benchmarkReport.add(
                    "%d agents: the daemon, of a core".formatted(agents),
                    "%",
                    (LauncherDaemon.cpuSeconds(pid) - cpu) / took * 100);
            benchmarkReport.add("%d agents: the daemon's memory at its peak".formatted(agents), "MiB", memory.mib());
        }
    }

    /** Samples the memory periodically. */
    private static final class Peak implements AutoCloseable {
        private final AtomicBoolean done = new AtomicBoolean();
        private final Thread thread;
        private volatile long kib;

        Peak(long pid) {
            thread = Thread.startVirtualThread(() -> {
                while (!done.get()) {
                    try {
                        kib = Math.max(kib, DaemonConnection.kib(pid, "status", "VmRSS"));
                    } catch (IOException e) {
                        return;
                    }
                    LockSupport.parkNanos(50_000_000);
                }
            });
        }

        double mib() {
            return kib / 1024.0;
        }

        @Override
        public void close() {
            done.set(true);
            thread.interrupt();
        }
    }
}
