package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.NodeProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * From a line printed by an agent on one node to the same line read on another. Each line contains the time of its printing,
 * and the reader polls every few milliseconds; all use the one clock of this machine.
 */
final class LagBenchmark implements Benchmark {

    private static final int RUNS = 8;
    private static final int LINES = 100;
    private static final double PROMISED = 2_000;
    private static final long BETWEEN_LOOKS = 25_000_000;
    private static final long BEFORE_IT_HAPPENS = 2_000_000_000;
    private static final String LOUD = "while :; do head -c 740000 /dev/urandom | base64; sleep 0.1; done";
    private static final Pattern TIME = Pattern.compile("[0-9]{19}");

    @Override
    public void measure(Setting setting, BenchmarkReport report) throws Exception {
        var address = setting.requiredDatabase();
        var scratch = setting.scratch();
        int lines = setting.quick() ? LINES / 4 : LINES;
        try (var front = NodeProcess.inCluster(scratch, "front", address, 0, 10, 30);
                var worker = NodeProcess.inCluster(scratch, "worker", address, RUNS + 1, 10, 30)) {
            report.text("printed on one node to readable on another", figure(round(front, lines, () -> {}).stream()));
            try (var daemonConnection = front.connect()) {
                var loud = daemonConnection.start("sh", "-c", LOUD);
                report.text("  beside a run that prints 10 MB/s", figure(round(front, lines, () -> {}).stream()));
                daemonConnection.call("stop", DaemonConnection.params(loud));
            }
            var ready = new double[1];
            var killed = round(front, lines, () -> {
                worker.kill9();
                worker.start();
                ready[0] = Benchmark.now();
            });
            report.text(
                    "  printed after kill -9 and start of its daemon",
                    figure(killed.stream().filter(line -> line.printed >= ready[0])));
            report.text("  all lines of those runs, also while it was down", figure(killed.stream()));
            front.stop();
            front.start();
            report.text("  after a start of the daemon that reads", figure(round(front, lines, () -> {}).stream()));
        }
    }

    /** In milliseconds since 1970. */
    private record Line(double printed, double read) {}

    private static String figure(Stream<Line> lines) {
        var lags = lines.mapToDouble(line -> line.read - line.printed).toArray();
        long late = DoubleStream.of(lags).filter(lag -> lag > PROMISED).count();
        return "%d runs at once, %d lines: %s; over 2 s: %d"
                .formatted(RUNS, lags.length, BenchmarkReport.quantiles(lags), late);
    }

    private static List<Line> round(NodeProcess front, int lines, Work meanwhile) throws Exception {
        var prints = "i=0; while [ $i -lt %d ]; do date +%%s%%N; sleep 0.1; i=$((i+1)); done".formatted(lines);
        var readers = new ArrayList<Future<List<Line>>>();
        var all = new ArrayList<Line>();
        try (var daemonConnection = front.connect();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < RUNS; i++) {
                var run = daemonConnection.start("sh", "-c", prints);
                readers.add(threads.submit(() -> read(front, run)));
            }
            LockSupport.parkNanos(BEFORE_IT_HAPPENS);
            meanwhile.run();
            for (var reader : readers) all.addAll(reader.get());
        }
        return all;
    }

    /** Leaves out the output that arrives together with the end, which another promise covers. */
    private static List<Line> read(NodeProcess front, String run) throws IOException {
        var lines = new ArrayList<Line>();
        var partial = "";
        long cursor = 0;
        try (var daemonConnection = front.connect()) {
            while (true) {
                var answer = daemonConnection.call(
                        "output", DaemonConnection.params(run).put("cursor", cursor));
                double now = Benchmark.now();
                if (answer.has("ended_at")) return lines;
                cursor = answer.path("next_cursor").asLong(cursor);
                var parts = (partial + answer.path("text").asString("")).split("\n", -1);
                for (int i = 0; i < parts.length - 1; i++) {
                    if (TIME.matcher(parts[i]).matches()) lines.add(new Line(Double.parseDouble(parts[i]) / 1e6, now));
                }
                partial = parts[parts.length - 1];
                LockSupport.parkNanos(BETWEEN_LOOKS);
            }
        }
    }
}
